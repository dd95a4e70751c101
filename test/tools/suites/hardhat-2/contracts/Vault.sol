// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

import {Token} from "./Token.sol";

/// Keeps coins until a time, and fails in every way that a contract can fail.
contract Vault {
    Token public immutable token;
    uint256 public unlockTime;
    uint256 public number;

    event Withdrawal(uint256 amount, uint256 when);
    event Named(string indexed name, bytes data);

    constructor(Token token_, uint256 unlockTime_) payable {
        token = token_;
        unlockTime = unlockTime_;
    }

    receive() external payable {}

    function withdraw() external {
        require(block.timestamp >= unlockTime, "locked");
        uint256 amount = address(this).balance;
        emit Withdrawal(amount, block.timestamp);
        payable(msg.sender).transfer(amount);
    }

    function announce(string calldata name, bytes calldata data) external {
        emit Named(name, data);
    }

    function setNumber(uint256 value) external {
        number = value;
    }

    function divide(uint256 by) external returns (uint256) {
        number = 1 / by;
        return number;
    }

    function failSilently() external {
        number++;
        // solhint-disable-next-line reason-string
        revert();
    }

    function randomness() external view returns (uint256) {
        return block.prevrandao;
    }

    function surroundings() external view returns (uint256, uint256, address) {
        return (block.timestamp, block.gaslimit, block.coinbase);
    }
}
