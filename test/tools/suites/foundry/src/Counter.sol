// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

/// Counts, with events, errors, coins and time, which tests of contracts look at.
contract Counter {
    uint256 public number;
    address public immutable owner = msg.sender;
    uint256 public immutable created = block.timestamp;
    mapping(address => uint256) public calls;

    event Changed(address indexed by, uint256 number);
    error NotOwner(address caller);

    constructor(uint256 start) payable {
        number = start;
    }

    function add(uint256 amount) external returns (uint256) {
        require(amount <= 100, "too much");
        number += amount;
        calls[msg.sender]++;
        emit Changed(msg.sender, number);
        return number;
    }

    function reset() external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        number = 0;
    }

    function surroundings() external view returns (uint256 chainId, uint256 height, uint256 time, uint256 fee) {
        return (block.chainid, block.number, block.timestamp, block.basefee);
    }
}
