"""The tour through web3.py. See ../tours.test.ts."""

import asyncio
import json
import os
import time

from eth_account import Account
from eth_account.messages import encode_defunct
from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3.exceptions import ContractLogicError
from web3.gas_strategies.rpc import rpc_gas_price_strategy

chain = json.loads(os.environ["TOUR_CHAIN"])
counter, transaction, block = chain["counter"], chain["transaction"], chain["block"]
# The library expects a member that compilers write for events, but the specification of the ABI lets it be absent.
abi = [{"anonymous": False, **entry} if entry["type"] == "event" else entry for entry in json.loads(counter["abi"])]
NUMBER = block["number"]

w3 = Web3(Web3.HTTPProvider(chain["url"]))
eth = w3.eth
account = Account.from_key(chain["privateKey"])
NODE_ACCOUNT = Web3.to_checksum_address(chain["nodeAccount"])
COUNTER = Web3.to_checksum_address(counter["address"])
contract = eth.contract(address=COUNTER, abi=abi)
TOTAL = {"to": COUNTER, "data": contract.encode_abi("total")}
GO_ETHEREUM = "concerns the program go-ethereum"


class NotApplicable:
    """A method that the chain cannot answer: its call must fail."""

    def __init__(self, reason, call):
        self.reason = reason
        self.call = call


def methods_of(thing):
    """Names of public members, except those that every module has."""
    common = {"attach_methods", "codec", "is_async", "retrieve_caller_fn", "retrieve_request_information", "w3"}
    return {name for name in dir(thing) if not name.startswith("_")} - common


def visit(group, surface, local, methods):
    """Runs the methods of a group in order and prints a line for each. `local` names what sends no request."""
    for name in sorted(surface - set(local) - set(methods)):
        print(f"failed {group}.{name}: not in the tour")
    for name, method in methods.items():
        if name not in surface:
            print(f"failed {group}.{name}: not in the library")
            continue
        inapplicable = isinstance(method, NotApplicable)
        try:
            result = method.call() if inapplicable else method()
            assert result is not False, "an implausible result"
        except Exception as error:  # any failure of the library is one of the tour
            text = " ".join(f"{type(error).__name__} {error}".split())[:600]
            print(f"not applicable {group}.{name}: {method.reason}" if inapplicable else f"failed {group}.{name}: {text}")
        else:
            print(f"failed {group}.{name}: passed, but is listed as not applicable" if inapplicable else f"passed {group}.{name}")


def legacy(**own):
    nonce = eth.get_transaction_count(account.address)
    return {"chainId": 33, "nonce": nonce, "gas": 100_000, "gasPrice": 1, **own}


def payment():
    return legacy(to=NODE_ACCOUNT, value=1)


def signed(fields):
    return account.sign_transaction(fields).raw_transaction


def pay():
    return eth.send_raw_transaction(signed(payment()))


def add():
    return eth.send_raw_transaction(signed(contract.functions.add(0).build_transaction(legacy())))


def of_node(**own):
    return {"from": NODE_ACCOUNT, "to": account.address, "value": 1, "gas": 21_000, "gasPrice": 1, **own}


def totals(logs):
    return [int(log["data"].hex(), 16) for log in logs]


def mined(transaction_hash):
    return eth.get_transaction_receipt(transaction_hash)["status"] == 1


def changes(new_filter, act, count=1):
    """A filter reports what happens after it was made."""
    act()
    return len(eth.get_filter_changes(new_filter.filter_id)) == count


def uninstalls():
    new_filter = eth.filter("latest")
    return eth.uninstall_filter(new_filter.filter_id)


def signs_typed_data():
    types = {"EIP712Domain": [], "Note": [{"name": "text", "type": "string"}]}
    note = {"types": types, "primaryType": "Note", "domain": {}, "message": {"text": "hello"}}
    return len(eth.sign_typed_data(NODE_ACCOUNT, note)) == 65


def signs():
    signature = eth.sign(NODE_ACCOUNT, text="hello")
    return Account.recover_message(encode_defunct(text="hello"), signature=signature) == NODE_ACCOUNT


def signs_transaction():
    signed_by_node = eth.sign_transaction(of_node(nonce=eth.get_transaction_count(NODE_ACCOUNT)))
    return Account.recover_transaction(signed_by_node["raw"]) == NODE_ACCOUNT


def finds_block():
    found = eth.get_block(block["hash"], full_transactions=True)
    assert found["number"] == NUMBER and found["stateRoot"].to_0x_hex() == block["stateRoot"]
    for tag in ["earliest", "safe", "finalized", "pending"]:
        eth.get_block(tag)
    return found["transactions"][0]["hash"].to_0x_hex() == transaction["hash"]


def is_transaction(found):
    return found["hash"].to_0x_hex() == transaction["hash"] and found["from"] == NODE_ACCOUNT


def calls():
    assert int(eth.call(TOTAL, NUMBER).hex(), 16) == 42
    try:
        contract.functions.add(101).call()
    except ContractLogicError as error:
        # The library takes the message only of errors with go-ethereum's code 3.
        return "too much".encode().hex() in error.data
    return False


def generates_gas_price():
    eth.set_gas_price_strategy(rpc_gas_price_strategy)
    return eth.generate_gas_price() == eth.gas_price


def replaces(replace):
    """Without mining, a transaction waits to be replaced by one with a higher price."""
    w3.provider.make_request("evm_stopMining", [])
    waiting = eth.send_transaction(of_node())
    nonce = eth.get_transaction(waiting)["nonce"]
    replacement = replace(waiting, nonce)
    w3.provider.make_request("evm_startMining", [])
    w3.provider.make_request("evm_mine", [])
    return mined(replacement) and eth.get_transaction(replacement)["nonce"] == nonce


def batches():
    with w3.batch_requests() as batch:
        batch.add(eth.get_balance(account.address))
        batch.add(eth.get_block(NUMBER))
        balance, found = batch.execute()
    return balance > 10**18 and found["number"] == NUMBER


def moves_back():
    number = eth.block_number
    w3.testing.snapshot()
    pay()
    assert eth.block_number == number + 1
    w3.testing.revert()
    return eth.block_number == number


def simulates():
    [simulated] = eth.simulate_v1({"blockStateCalls": [{"calls": [TOTAL]}]}, NUMBER)
    return int(simulated["calls"][0]["returnData"].hex(), 16) == 42


WEB3 = {
    "client_version": lambda: w3.client_version.startswith("Cambium/"),
    "is_connected": lambda: w3.is_connected(),
    "batch_requests": batches,
}
WEB3_LOCAL = [
    *["EthereumTesterProvider", "HTTPProvider", "IPCProvider", "RequestManager", "api", "attach_modules", "ens", "eth"],
    *["from_wei", "geth", "is_address", "is_checksum_address", "is_encodable", "keccak", "manager", "middleware_onion"],
    *["net", "normalize_values", "provider", "solidity_keccak", "strict_bytes_type_checking", "testing", "to_bytes"],
    *["to_checksum_address", "to_hex", "to_int", "to_json", "to_text", "to_wei", "tracing"],
]

ETH = {
    "accounts": lambda: NODE_ACCOUNT in eth.accounts,
    "blob_base_fee": NotApplicable("no blobs on this chain", lambda: eth.blob_base_fee),
    "block_number": lambda: eth.block_number >= NUMBER,
    "get_block_number": lambda: eth.get_block_number() >= NUMBER,
    "chain_id": lambda: eth.chain_id == 33,
    "gas_price": lambda: eth.gas_price >= 0,
    "max_priority_fee": lambda: eth.max_priority_fee >= 0,
    "fee_history": lambda: eth.fee_history(2, "latest", [50])["baseFeePerGas"] == [],
    "generate_gas_price": generates_gas_price,
    "syncing": lambda: eth.syncing is False or None,
    "get_balance": lambda: eth.get_balance(account.address) > 10**18,
    "get_code": lambda: eth.get_code(COUNTER).to_0x_hex() == counter["runtime"],
    "get_storage_at": lambda: int(eth.get_storage_at(COUNTER, 0, NUMBER).hex(), 16) == 42,
    "get_transaction_count": lambda: eth.get_transaction_count(NODE_ACCOUNT, NUMBER) == 3,
    "get_proof": lambda: eth.get_proof(COUNTER, [0], NUMBER)["storageProof"][0]["value"].hex().lstrip("0") == "2a",
    "get_block": finds_block,
    "get_block_receipts": lambda: eth.get_block_receipts(NUMBER)[0]["gasUsed"] == transaction["gasUsed"],
    "get_block_transaction_count": lambda: eth.get_block_transaction_count(NUMBER) == 2,
    "get_transaction": lambda: is_transaction(eth.get_transaction(transaction["hash"])),
    "get_transaction_by_block": lambda: is_transaction(eth.get_transaction_by_block(NUMBER, 0)),
    "get_raw_transaction": lambda: Web3.keccak(eth.get_raw_transaction(transaction["hash"])).to_0x_hex() == transaction["hash"],
    "get_raw_transaction_by_block": lambda: Web3.keccak(eth.get_raw_transaction_by_block(NUMBER, 0)).to_0x_hex() == transaction["hash"],
    "get_transaction_receipt": lambda: eth.get_transaction_receipt(transaction["hash"])["gasUsed"] == transaction["gasUsed"],
    "wait_for_transaction_receipt": lambda: eth.wait_for_transaction_receipt(transaction["hash"])["status"] == 1,
    "get_logs": lambda: totals(eth.get_logs({"address": COUNTER, "fromBlock": 0, "toBlock": NUMBER})) == [5, 42],
    "call": calls,
    "estimate_gas": lambda: eth.estimate_gas({"from": account.address, "to": NODE_ACCOUNT, "value": 1}) == 21_000,
    "create_access_list": lambda: len(eth.create_access_list({"from": account.address, **TOTAL})["accessList"]) == 1,
    "simulate_v1": simulates,
    "send_raw_transaction": lambda: mined(pay()),
    "send_transaction": lambda: mined(eth.send_transaction(of_node())),
    "replace_transaction": lambda: replaces(lambda sent, nonce: eth.replace_transaction(sent, of_node(nonce=nonce, gasPrice=9))),
    "modify_transaction": lambda: replaces(lambda sent, nonce: eth.modify_transaction(sent, gasPrice=9)),
    "sign": signs,
    "sign_transaction": signs_transaction,
    "sign_typed_data": signs_typed_data,
    "filter": lambda: changes(eth.filter("latest"), pay) and changes(eth.filter("pending"), pay),
    "get_filter_changes": lambda: changes(eth.filter({"address": COUNTER}), add),
    "get_filter_logs": lambda: totals(
        eth.get_filter_logs(eth.filter({"address": COUNTER, "fromBlock": 0, "toBlock": NUMBER}).filter_id)
    ) == [5, 42],
    "uninstall_filter": uninstalls,
}
ETH_LOCAL = [
    *["account", "block_id_munger", "call_munger", "contract", "create_access_list_munger", "default_account"],
    *["default_block", "estimate_gas_munger", "filter_munger", "get_block_munger", "get_proof_munger"],
    *["get_storage_at_munger", "icap_namereg", "namereg", "send_transaction_munger", "set_contract_factory"],
    *["set_gas_price_strategy", "sign_munger"],
]

DEPLOYMENT = eth.contract(abi=abi, bytecode=counter["code"])


def deploys():
    created = eth.send_raw_transaction(signed(DEPLOYMENT.constructor().build_transaction(legacy(gas=300_000))))
    return eth.get_code(eth.get_transaction_receipt(created)["contractAddress"]).to_0x_hex() == counter["runtime"]


ADD = contract.functions.add(0)
CONTRACT = {
    "constructor": deploys,
    "function.call": lambda: contract.functions.total().call(block_identifier=NUMBER) == 42,
    "function.estimate_gas": lambda: ADD.estimate_gas({"from": account.address}) > 21_000,
    "function.build_transaction": lambda: mined(add()),
    "function.transact": lambda: mined(ADD.transact({"from": NODE_ACCOUNT, "gas": 100_000, "gasPrice": 1})),
    "caller": lambda: contract.caller(block_identifier=NUMBER).total() == 42,
    "event.get_logs": lambda: [log["args"]["total"] for log in contract.events.Added.get_logs(from_block=0, to_block=NUMBER)] == [5, 42],
    "event.create_filter": lambda: changes(contract.events.Added.create_filter(from_block="latest"), add),
    "event.process_receipt": lambda: contract.events.Added().process_receipt(
        eth.get_transaction_receipt(transaction["hash"])
    )[0]["args"]["total"] == 42,
}

NET = {
    "version": lambda: w3.net.version == "33",
    "peer_count": lambda: w3.net.peer_count == 0,
    "listening": lambda: w3.net.listening in (True, False) or None,
}

TXPOOL = {
    "content": lambda: "pending" in w3.geth.txpool.content(),
    "inspect": lambda: "pending" in w3.geth.txpool.inspect(),
    "status": lambda: "queued" in w3.geth.txpool.status(),
}
DEBUG = {
    "trace_transaction": lambda: w3.geth.debug.trace_transaction(transaction["hash"], {"tracer": "callTracer"})["type"] == "CALL",
}
ADMIN = {
    name: NotApplicable(GO_ETHEREUM, lambda name=name, given=given: getattr(w3.geth.admin, name)(*given))
    for name, given in {"add_peer": ["enode://"], "datadir": [], "node_info": [], "peers": [], "start_http": [], "start_ws": [],
                            "stop_http": [], "stop_ws": []}.items()
}

tracing = w3.tracing
TRACING = {
    "trace_block": lambda: len(tracing.trace_block(NUMBER)) == 2,
    "trace_transaction": lambda: tracing.trace_transaction(transaction["hash"])[0]["type"] == "call",
    "trace_filter": lambda: len(tracing.trace_filter({"fromBlock": NUMBER, "toBlock": NUMBER})) >= 1,
    "trace_call": lambda: int(tracing.trace_call(TOTAL, ["trace"], NUMBER)["output"].hex(), 16) == 42,
    "trace_replay_transaction": lambda: len(tracing.trace_replay_transaction(transaction["hash"])["trace"]) == 1,
    "trace_replay_block_transactions": lambda: len(tracing.trace_replay_block_transactions(NUMBER)) == 2,
    "trace_raw_transaction": lambda: len(tracing.trace_raw_transaction(signed(payment()).to_0x_hex())["trace"]) == 1,
}
TRACING_LOCAL = ["default_block", "trace_call_munger", "trace_replay_transaction_munger", "trace_transactions_munger"]

TESTING = {
    "mine": NotApplicable("sends a number of blocks where `evm_mine` takes a time", lambda: w3.testing.mine(1)),
    "snapshot": lambda: w3.testing.snapshot() is not None,
    "revert": moves_back,
    "timeTravel": NotApplicable("calls a method of another development node", lambda: w3.testing.timeTravel(int(time.time()) + 60)),
    "reset": lambda: w3.testing.reset(),
}


def with_socket(use):
    """Runs a coroutine function with a connection over WebSocket."""

    async def run():
        async with AsyncWeb3(WebSocketProvider(chain["wsUrl"])) as socket:
            return await asyncio.wait_for(use(socket), 60)

    return asyncio.run(run())


async def is_notified(socket):
    await socket.eth.subscribe("newHeads")
    await asyncio.to_thread(pay)
    async for message in socket.socket.process_subscriptions():
        # The library formats heads with at least nine tenths of the members that it knows; those of this chain have more.
        return int(message["result"]["number"], 16) > NUMBER


async def is_notified_of_logs(socket):
    await socket.eth.subscribe("logs", {"address": COUNTER})
    await asyncio.to_thread(add)
    async for message in socket.socket.process_subscriptions():
        return message["result"]["address"] == COUNTER


async def unsubscribes(socket):
    return await socket.eth.unsubscribe(await socket.eth.subscribe("newPendingTransactions"))


SOCKET = {
    "subscribe": lambda: with_socket(is_notified) and with_socket(is_notified_of_logs),
    "unsubscribe": lambda: with_socket(unsubscribes),
}

visit("Web3", methods_of(w3), WEB3_LOCAL, WEB3)
visit("eth", methods_of(eth), ETH_LOCAL, ETH)
visit("AsyncEth", methods_of(AsyncWeb3(WebSocketProvider(chain["wsUrl"])).eth) - methods_of(eth), [], SOCKET)
visit("Contract", set(CONTRACT), [], CONTRACT)
visit("net", methods_of(w3.net), [], NET)
visit("txpool", methods_of(w3.geth.txpool), [], TXPOOL)
visit("debug", methods_of(w3.geth.debug), ["trace_transaction_munger"], DEBUG)
visit("admin", methods_of(w3.geth.admin), [], ADMIN)
visit("tracing", methods_of(tracing), TRACING_LOCAL, TRACING)
visit("testing", methods_of(w3.testing), [], TESTING)
