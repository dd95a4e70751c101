// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

import {Counter} from "../src/Counter.sol";
import {vm} from "../test/Vm.sol";

/// `forge script --broadcast`: a deployment, calls of it, and coins.
contract Deploy {
    bool public constant IS_SCRIPT = true;

    function run() external returns (Counter counter) {
        vm.startBroadcast(vm.envUint("KEY"));
        counter = new Counter{value: 7}(2);
        counter.add(40);
        counter.add(8);
        payable(address(uint160(0xa11ce))).transfer(3);
        vm.stopBroadcast();
    }
}
