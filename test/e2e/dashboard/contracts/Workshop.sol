// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Counts what the workshop has used.
contract Ledger {
    uint256 public entries;
    mapping(address => uint256) public used;

    event Noted(address indexed by, uint256 amount);
    error TooMuch(uint256 amount, uint256 limit);

    function note(uint256 amount, uint256 limit) external returns (uint256) {
        if (amount > limit) revert TooMuch(amount, limit);
        entries += 1;
        used[msg.sender] += amount;
        emit Noted(msg.sender, amount);
        return entries;
    }
}

/// What the developer's page shows: structs, arrays, units, times, inner calls, errors.
contract Workshop {
    struct Order {
        string item;
        uint64 due;
        uint256[] parts;
    }

    uint256 public immutable limit;
    Ledger public immutable ledger;
    address public owner;
    bool public open;
    uint64 public updated;
    string public name;
    Order[] private orders;
    mapping(address => uint256) public paid;

    event Ordered(address indexed by, string item, uint256 total);
    error Closed(address owner, uint64 since);
    error NoLimit(string name);

    constructor(string memory name_, uint256 limit_) {
        if (limit_ == 0) revert NoLimit(name_);
        name = name_;
        limit = limit_;
        owner = msg.sender;
        open = true;
        ledger = new Ledger();
    }

    function order(Order calldata what) external payable returns (uint256 total) {
        if (!open) revert Closed(owner, updated);
        for (uint256 i = 0; i < what.parts.length; i++) total += what.parts[i];
        ledger.note(total, limit);
        orders.push(what);
        paid[msg.sender] += msg.value;
        emit Ordered(msg.sender, what.item, total);
    }

    function close(uint64 since) external {
        open = false;
        updated = since;
    }

    function last() external view returns (Order memory what, uint256 count) {
        count = orders.length;
        if (count > 0) what = orders[count - 1];
    }

    /// Takes about seventy steps a round.
    function spin(uint256 rounds) external {
        uint256 sum;
        for (uint256 i = 0; i < rounds; i++) sum += i;
        updated = uint64(sum);
    }
}
