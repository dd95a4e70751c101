"""A contract on a chain, by ape and its provider for nodes."""

import json
import os

import ape
from ape.contracts import ContractContainer
from ape.exceptions import ContractLogicError
from ape_accounts import import_account_from_private_key
from ethpm_types import ContractType

ADDED = [5, 42]


def account_of(key):
    account = import_account_from_private_key("tour", "passphrase", key)
    account.set_autosign(True, passphrase="passphrase")
    return account


def visit(counter_type, account):
    counter = account.deploy(ContractContainer(counter_type), type=0)
    assert counter.total() == 0
    receipts = [counter.add(amount, sender=account, type=0) for amount in (5, 37)]
    assert [event.total for receipt in receipts for event in receipt.events] == ADDED
    assert counter.total() == 42
    logs = counter.Added.range(counter.creation_metadata.block, ape.chain.blocks.height + 1)
    assert [log.total for log in logs] == ADDED
    for send in (counter.add, counter.add.call):
        try:
            send(101, sender=account, type=0)
        except ContractLogicError as error:
            shown = f"{error.revert_message} {error.__cause__}"
            assert "too much" in shown or b"too much".hex() in shown, shown
        else:
            raise AssertionError("add(101) did not fail")
    assert ape.chain.blocks.head.hash == ape.chain.provider.get_block("latest").hash
    balance = account.balance
    account.transfer("0x00000000000000000000000000000000C0ffee00", 7, type=0)
    assert account.balance <= balance - 7


with ape.networks.parse_network_choice(os.environ["NODE_URL"]):
    contract = {
        "contractName": "Counter",
        "abi": json.loads(os.environ["COUNTER_ABI"]),
        "deploymentBytecode": {"bytecode": os.environ["COUNTER_CODE"]},
    }
    visit(ContractType.model_validate(contract), account_of(os.environ["KEY"]))
    print("visited")
