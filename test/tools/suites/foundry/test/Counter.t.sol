// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

import {Counter} from "../src/Counter.sol";
import {vm} from "./Vm.sol";

/// Tests that run on top of the chain's state: `forge test --fork-url`.
contract CounterTest {
    Counter private counter;
    /// Deployed on the chain before the tests; its number is 42.
    Counter private deployed;

    function setUp() external {
        counter = new Counter(0);
        deployed = Counter(vm.envAddress("DEPLOYED"));
    }

    function testAdds() external {
        require(counter.add(5) == 5 && counter.number() == 5);
    }

    function testFuzz_Adds(uint256 amount) external {
        amount %= 101;
        require(counter.add(amount) == amount);
    }

    function testRevertsWithReason() external {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "too much"));
        counter.add(101);
    }

    function testRevertsWithCustomError() external {
        vm.prank(address(7));
        vm.expectRevert(abi.encodeWithSelector(Counter.NotOwner.selector, address(7)));
        counter.reset();
    }

    function testEmits() external {
        vm.expectEmit();
        emit Counter.Changed(address(this), 3);
        counter.add(3);
    }

    function testReadsTheChain() external view {
        (uint256 chainId, uint256 height, uint256 time,) = deployed.surroundings();
        require(chainId == vm.envUint("CHAIN_ID") && height >= 1 && time >= deployed.created());
        require(deployed.number() == 42 && deployed.owner() == vm.envAddress("SENDER"));
        require(address(deployed).balance == 7 && vm.envAddress("SENDER").balance > 1000 ether);
        require(address(deployed).code.length > 100 && uint256(vm.load(address(deployed), 0)) == 42);
    }

    function testChangesOnTopOfTheChain() external {
        require(deployed.add(8) == 50);
        vm.store(address(deployed), 0, bytes32(uint256(1)));
        require(deployed.number() == 1);
        vm.prank(vm.envAddress("SENDER"));
        deployed.reset();
        require(deployed.number() == 0);
    }

    function testMovesTheClock() external {
        vm.warp(deployed.created() + 1 days);
        vm.roll(1_000_000);
        (, uint256 height, uint256 time,) = deployed.surroundings();
        require(height == 1_000_000 && time == deployed.created() + 1 days);
    }

    function testDealsAndEtches() external {
        vm.deal(address(0xbeef), 3 ether);
        vm.etch(address(0xbeef), address(deployed).code);
        require(address(0xbeef).balance == 3 ether && Counter(address(0xbeef)).number() == 0);
    }

    function testForksAtAnEarlierBlock() external {
        vm.createSelectFork(vm.envString("NODE_URL"), vm.envUint("DEPLOYED_AT") - 1);
        require(address(deployed).code.length == 0);
        vm.createSelectFork(vm.envString("NODE_URL"));
        require(deployed.number() == 42);
    }

    function testRollsTheFork() external {
        vm.createSelectFork(vm.envString("NODE_URL"), vm.envUint("DEPLOYED_AT"));
        require(deployed.number() == 0);
        vm.rollFork(vm.envUint("DEPLOYED_AT") + 1);
        require(deployed.number() == 42);
    }

    function testAsksTheChain() external {
        require(uint256(bytes32(vm.rpc("eth_getStorageAt", vm.envString("STORAGE_QUERY")))) == 42);
    }
}
