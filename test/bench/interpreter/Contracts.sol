// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A fungible token with allowances and signed approvals (EIP-20, EIP-2612).
contract Token {
    bytes32 private constant PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;
    uint256 public totalSupply;
    bytes32 public immutable DOMAIN_SEPARATOR;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error BalanceTooLow(address owner, uint256 balance, uint256 needed);
    error AllowanceTooLow(address spender, uint256 allowance, uint256 needed);
    error ZeroAddress();
    error BadSignature();

    constructor() {
        DOMAIN_SEPARATOR = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Token"),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            if (allowed < value) revert AllowanceTooLow(msg.sender, allowed, value);
            allowance[from][msg.sender] = allowed - value;
        }
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allow(msg.sender, spender, value);
        return true;
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(block.timestamp <= deadline);
        bytes32 content = keccak256(abi.encode(PERMIT, owner, spender, value, nonces[owner]++, deadline));
        address signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR, content)), v, r, s);
        if (signer == address(0) || signer != owner) revert BadSignature();
        allow(owner, spender, value);
    }

    function move(address from, address to, uint256 value) private {
        if (from == address(0) || to == address(0)) revert ZeroAddress();
        uint256 balance = balanceOf[from];
        if (balance < value) revert BalanceTooLow(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function allow(address owner, address spender, uint256 value) private {
        if (owner == address(0) || spender == address(0)) revert ZeroAddress();
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }
}

/// Passes every call on to the code of an implementation, as upgradable contracts do.
contract Proxy {
    address private implementation;

    constructor(address target) {
        implementation = target;
    }

    fallback() external payable {
        address target = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// Exchanges two tokens; the product of its reserves never falls.
contract Pair {
    Token public immutable first;
    Token public immutable second;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private updated;
    uint256 public cumulative0;
    uint256 public cumulative1;
    uint256 private unlocked = 1;

    event Sync(uint112 reserve0, uint112 reserve1);
    event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to);

    modifier lock() {
        require(unlocked == 1, "locked");
        unlocked = 0;
        _;
        unlocked = 1;
    }

    constructor(Token token0, Token token1) {
        first = token0;
        second = token1;
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, updated);
    }

    function sync() external lock {
        update(first.balanceOf(address(this)), second.balanceOf(address(this)), reserve0, reserve1);
    }

    function swap(uint256 out0, uint256 out1, address to) external lock {
        require(out0 > 0 || out1 > 0, "no output");
        (uint112 old0, uint112 old1,) = getReserves();
        require(out0 < old0 && out1 < old1, "reserves too low");
        require(to != address(first) && to != address(second), "wrong receiver");
        if (out0 > 0) require(first.transfer(to, out0));
        if (out1 > 0) require(second.transfer(to, out1));
        uint256 balance0 = first.balanceOf(address(this));
        uint256 balance1 = second.balanceOf(address(this));
        uint256 in0 = balance0 > old0 - out0 ? balance0 - (old0 - out0) : 0;
        uint256 in1 = balance1 > old1 - out1 ? balance1 - (old1 - out1) : 0;
        require(in0 > 0 || in1 > 0, "no input");
        uint256 adjusted0 = balance0 * 1000 - in0 * 3;
        uint256 adjusted1 = balance1 * 1000 - in1 * 3;
        require(adjusted0 * adjusted1 >= uint256(old0) * old1 * 1000 ** 2, "K");
        update(balance0, balance1, old0, old1);
        emit Swap(msg.sender, in0, in1, out0, out1, to);
    }

    function update(uint256 balance0, uint256 balance1, uint112 old0, uint112 old1) private {
        require(balance0 <= type(uint112).max && balance1 <= type(uint112).max, "overflow");
        uint32 time = uint32(block.timestamp);
        unchecked {
            uint32 elapsed = time - updated;
            if (elapsed > 0 && old0 != 0 && old1 != 0) {
                cumulative0 += ((uint256(old1) << 112) / old0) * elapsed;
                cumulative1 += ((uint256(old0) << 112) / old1) * elapsed;
            }
        }
        reserve0 = uint112(balance0);
        reserve1 = uint112(balance1);
        updated = time;
        emit Sync(uint112(balance0), uint112(balance1));
    }
}

/// Sells tokens to pairs for their owners.
contract Router {
    function sell(Pair pair, uint256 amount, uint256 least, address to, uint256 deadline)
        external
        returns (uint256 bought)
    {
        require(block.timestamp <= deadline, "expired");
        require(pair.first().transferFrom(msg.sender, address(pair), amount));
        (uint112 in0, uint112 out0,) = pair.getReserves();
        uint256 paid = amount * 997;
        bought = (paid * out0) / (uint256(in0) * 1000 + paid);
        require(bought >= least, "price too low");
        pair.swap(0, bought, to);
    }
}

/// The median of the prices that reporters publish.
contract Oracle {
    struct Report {
        uint128 price;
        uint64 time;
    }

    address[] private reporters;
    mapping(address => Report) private reports;
    uint128 public price;
    uint64 public time;

    event Median(uint256 price, uint256 time);

    constructor(address[] memory accounts, uint128 start) {
        reporters = accounts;
        for (uint256 i = 0; i < accounts.length; i++) {
            reports[accounts[i]] = Report(start + uint128((i * 7) % 5), uint64(block.timestamp));
        }
    }

    function report(uint128 value) external {
        require(reports[msg.sender].time != 0, "unknown reporter");
        reports[msg.sender] = Report(value, uint64(block.timestamp));
        uint256 count = reporters.length;
        uint256[] memory sorted = new uint256[](count);
        uint256 used = 0;
        for (uint256 i = 0; i < count; i++) {
            Report storage known = reports[reporters[i]];
            if (known.time + 1 hours < block.timestamp) continue;
            uint256 at = used++;
            while (at > 0 && sorted[at - 1] > known.price) {
                sorted[at] = sorted[at - 1];
                at--;
            }
            sorted[at] = known.price;
        }
        price = uint128((sorted[(used - 1) / 2] + sorted[used / 2]) / 2);
        time = uint64(block.timestamp);
        emit Median(price, time);
    }
}
