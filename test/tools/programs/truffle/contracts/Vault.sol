// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Vault {
    address public immutable owner;
    mapping(address => uint256) public deposits;

    event Deposited(address indexed from, uint256 amount);

    constructor(address owner_) {
        owner = owner_;
    }

    function deposit() external payable {
        require(msg.value > 0, "nothing to deposit");
        deposits[msg.sender] += msg.value;
        emit Deposited(msg.sender, msg.value);
    }
}
