// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

/// What the tests use of Foundry's cheat codes.
interface Vm {
    function addr(uint256 key) external pure returns (address);
    function createSelectFork(string calldata url) external returns (uint256);
    function createSelectFork(string calldata url, uint256 height) external returns (uint256);
    function deal(address account, uint256 balance) external;
    function envOr(string calldata name, string calldata fallbackText) external view returns (string memory);
    function envAddress(string calldata name) external view returns (address);
    function envString(string calldata name) external view returns (string memory);
    function envUint(string calldata name) external view returns (uint256);
    function etch(address account, bytes calldata code) external;
    function expectEmit() external;
    function expectRevert(bytes calldata data) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function makePersistent(address account) external;
    function prank(address sender) external;
    function roll(uint256 height) external;
    function rollFork(uint256 height) external;
    function rpc(string calldata method, string calldata params) external returns (bytes memory);
    function startBroadcast(uint256 key) external;
    function stopBroadcast() external;
    function store(address account, bytes32 slot, bytes32 value) external;
    function warp(uint256 time) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
