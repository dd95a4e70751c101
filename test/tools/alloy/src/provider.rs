use alloy::{
    consensus::{BlockHeader, Transaction as _, TxEnvelope},
    eips::{BlockId, BlockNumberOrTag, Encodable2718},
    network::{ReceiptResponse, TransactionBuilder, TransactionResponse},
    primitives::{B256, Bytes, U256, keccak256, map::HashMap},
    providers::{PendingTransactionConfig, Provider},
    rpc::types::{
        Bundle, Filter, Log, StorageValuesRequest, TransactionRequest,
        simulate::{SimBlock, SimulatePayload},
    },
};
use futures_util::StreamExt;

use crate::{
    not_applicable, pass,
    tour::{Failure, Tour},
};

const OTHER: &str = "a method of other nodes, not of the API document";
const SIGNED: &str = "expects the transaction alone, where execution-apis says `{raw, tx}`";

pub async fn visit(t: &Tour) {
    node(t).await;
    fees(t).await;
    accounts(t).await;
    blocks(t).await;
    transactions(t).await;
    execution(t).await;
    sending(t).await;
    filters(t).await;
    watching(t).await;
    subscriptions(t).await;
}

async fn node(t: &Tour) {
    let p = &t.http;
    pass!("Provider.get_chain_id", p.get_chain_id().await? == 33);
    pass!("Provider.get_net_version", p.get_net_version().await? == 33);
    pass!("Provider.get_client_version", p.get_client_version().await?.starts_with("Cambium/"));
    pass!("Provider.get_sha3", p.get_sha3(b"hello").await? == keccak256(b"hello"));
    pass!("Provider.syncing", matches!(p.syncing().await?, alloy::rpc::types::SyncStatus::None));
    pass!("Provider.get_accounts", p.get_accounts().await?.contains(&t.node_account));
    pass!("Provider.get_block_number", p.get_block_number().await? >= t.number);
    pass!("Provider.get_block_number_by_id", p.get_block_number_by_id(t.block.into()).await? == Some(t.number));
    pass!("Provider.raw_request", {
        let id: String = p.raw_request("eth_chainId".into(), ()).await?;
        id == "0x21"
    });
    pass!("Provider.raw_request_dyn", {
        let none = serde_json::value::to_raw_value(&[0u8; 0])?;
        p.raw_request_dyn("eth_chainId".into(), &none).await?.get() == "\"0x21\""
    });
}

async fn fees(t: &Tour) {
    let p = &t.http;
    pass!("Provider.get_gas_price", p.get_gas_price().await.is_ok());
    pass!("Provider.get_max_priority_fee_per_gas", p.get_max_priority_fee_per_gas().await.is_ok());
    pass!("Provider.get_fee_history", {
        let history = p.get_fee_history(2, BlockNumberOrTag::Latest, &[50.0]).await?;
        history.base_fee_per_gas.is_empty() && history.reward.is_some_and(|of_blocks| of_blocks.len() == 2)
    });
    let base_fee = "blocks have no base fee";
    not_applicable!("Provider.estimate_eip1559_fees", base_fee, p.estimate_eip1559_fees().await?);
    not_applicable!(
        "Provider.estimate_eip1559_fees_with",
        base_fee,
        p.estimate_eip1559_fees_with(Default::default()).await?
    );
    not_applicable!("Provider.get_blob_base_fee", "no blobs on this chain", p.get_blob_base_fee().await?);
}

async fn accounts(t: &Tour) {
    let (p, at) = (&t.http, BlockId::number(t.number));
    let total = U256::from(42);
    pass!("Provider.get_balance", p.get_balance(t.account).await? > U256::from(1_000_000));
    pass!("Provider.get_transaction_count", p.get_transaction_count(t.node_account).block_id(at).await? == 3);
    pass!("Provider.get_code_at", p.get_code_at(t.counter).await? == t.runtime);
    pass!("Provider.get_storage_at", p.get_storage_at(t.counter, U256::ZERO).block_id(at).await? == total);
    pass!("Provider.get_storage_values", {
        let cells = HashMap::from_iter([(t.counter, vec![B256::ZERO])]);
        let values = p.get_storage_values(StorageValuesRequest(cells)).block_id(at).await?;
        values.0.values().flatten().all(|value| *value == total)
    });
    pass!(
        "Provider.get_proof",
        p.get_proof(t.counter, vec![B256::ZERO]).block_id(at).await?.storage_proof[0].value == total
    );
    pass!("Provider.get_account", p.get_account(t.counter).block_id(at).await?.code_hash != B256::ZERO);
    pass!("Provider.get_account_info", !p.get_account_info(t.counter).block_id(at).await?.code.is_empty());
}

async fn blocks(t: &Tour) {
    let (p, id, number) = (&t.http, BlockId::from(t.block), BlockNumberOrTag::Number(t.number));
    pass!("Provider.get_block", p.get_block(id).await?.is_some_and(|block| block.header.state_root() == t.state_root));
    pass!(
        "Provider.get_block_by_hash",
        p.get_block_by_hash(t.block).full().await?.is_some_and(|block| block.header.number() == t.number)
    );
    pass!("Provider.get_block_by_number", {
        for tag in [BlockNumberOrTag::Earliest, BlockNumberOrTag::Safe, BlockNumberOrTag::Finalized] {
            p.get_block_by_number(tag).await?.ok_or("no block")?;
        }
        p.get_block_by_number(number).await?.is_some_and(|block| block.header.hash == t.block)
    });
    pass!(
        "Provider.get_block_transaction_count_by_hash",
        p.get_block_transaction_count_by_hash(t.block).await? == Some(2)
    );
    pass!(
        "Provider.get_block_transaction_count_by_number",
        p.get_block_transaction_count_by_number(number).await? == Some(2)
    );
    pass!(
        "Provider.get_block_receipts",
        p.get_block_receipts(id).await?.is_some_and(|receipts| receipts[0].gas_used() == t.gas_used)
    );
    pass!("Provider.get_uncle", p.get_uncle(id, 0).await?.is_none());
    pass!("Provider.get_uncle_count", p.get_uncle_count(id).await? == 0);
    let lists = "blocks have no access lists";
    not_applicable!("Provider.get_block_access_list", lists, p.get_block_access_list(id).await?);
    not_applicable!("Provider.get_block_access_list_by_hash", lists, p.get_block_access_list_by_hash(t.block).await?);
    not_applicable!(
        "Provider.get_block_access_list_by_number",
        lists,
        p.get_block_access_list_by_number(number).await?
    );
    pass!("Provider.get_header", p.get_header(id).await?.is_some_and(|header| header.state_root() == t.state_root));
    pass!(
        "Provider.get_header_by_hash",
        p.get_header_by_hash(t.block).await?.is_some_and(|one| one.number() == t.number)
    );
    pass!(
        "Provider.get_header_by_number",
        p.get_header_by_number(number).await?.is_some_and(|one| one.hash == t.block)
    );
}

async fn transactions(t: &Tour) {
    let (p, number) = (&t.http, BlockNumberOrTag::Number(t.number));
    let is_transaction =
        |found: Option<alloy::rpc::types::Transaction>| found.is_some_and(|found| found.from() == t.node_account);
    let is_raw = |raw: Option<Bytes>| raw.is_some_and(|raw| keccak256(&raw) == t.transaction);
    pass!("Provider.get_transaction_by_hash", is_transaction(p.get_transaction_by_hash(t.transaction).await?));
    pass!(
        "Provider.get_transaction_by_block_hash_and_index",
        is_transaction(p.get_transaction_by_block_hash_and_index(t.block, 0).await?)
    );
    pass!(
        "Provider.get_transaction_by_block_number_and_index",
        is_transaction(p.get_transaction_by_block_number_and_index(number, 0).await?)
    );
    pass!("Provider.get_raw_transaction_by_hash", is_raw(p.get_raw_transaction_by_hash(t.transaction).await?));
    pass!(
        "Provider.get_raw_transaction_by_block_hash_and_index",
        is_raw(p.get_raw_transaction_by_block_hash_and_index(t.block, 0).await?)
    );
    pass!(
        "Provider.get_raw_transaction_by_block_number_and_index",
        is_raw(p.get_raw_transaction_by_block_number_and_index(number, 0).await?)
    );
    pass!(
        "Provider.get_transaction_receipt",
        p.get_transaction_receipt(t.transaction)
            .await?
            .is_some_and(|receipt| receipt.status() && receipt.gas_used() == t.gas_used)
    );
    pass!("Provider.get_transaction_by_sender_nonce", {
        let sent = p.get_transaction_by_hash(t.transaction).await?.ok_or("no transaction")?;
        p.get_transaction_by_sender_nonce(sent.from(), sent.nonce())
            .await?
            .is_some_and(|found| found.tx_hash() == t.transaction)
    });
    let filter = Filter::new().address(t.counter).from_block(0).to_block(t.number);
    pass!("Provider.get_logs", p.get_logs(&filter).await?.len() == 2);
}

async fn execution(t: &Tour) {
    let (p, at) = (&t.http, BlockId::number(t.number));
    let is_total = |output: &[u8]| U256::from_be_slice(output) == U256::from(42);
    pass!("Provider.call", is_total(&p.call(t.total()).await?) && is_total(&p.call(t.total()).block(at).await?));
    pass!("Provider.estimate_gas", p.estimate_gas(t.payment()).await? == 21_000);
    pass!("Provider.create_access_list", p.create_access_list(&t.total()).await?.access_list.0.len() == 1);
    pass!("Provider.simulate", {
        let payload = SimulatePayload::default().extend(SimBlock::default().call(t.total()));
        is_total(&p.simulate(&payload).await?[0].calls[0].return_data)
    });
    not_applicable!(
        "Provider.multicall",
        "needs a contract at an address that only Ethereum's networks use",
        p.multicall().get_block_number().aggregate().await?
    );
    let bundles = [Bundle::from(vec![t.total()])];
    pass!("Provider.call_many", {
        let results = p.call_many(&bundles).await?;
        results[0][0].value.as_ref().is_some_and(|output| is_total(output))
    });
}

async fn sending(t: &Tour) {
    let p = &t.http;
    let envelope = async || -> Result<TxEnvelope, Failure> {
        let nonce = p.get_transaction_count(t.account).await?;
        let filled = t.payment().with_nonce(nonce).with_gas_limit(21_000).with_chain_id(33);
        Ok(filled.build(&t.wallet).await?)
    };
    let signed = async || -> Result<Vec<u8>, Failure> { Ok(envelope().await?.encoded_2718()) };
    pass!("Provider.send_transaction", p.send_transaction(t.payment()).await?.get_receipt().await?.status());
    pass!("Provider.send_transaction_sync", p.send_transaction_sync(t.payment()).await?.status());
    pass!("Provider.send_tx_envelope", {
        let sent = envelope().await?;
        p.send_tx_envelope(sent).await?.get_receipt().await?.status()
    });
    pass!(
        "Provider.send_raw_transaction",
        p.send_raw_transaction(&signed().await?).await?.get_receipt().await?.status()
    );
    pass!("Provider.send_raw_transaction_sync", p.send_raw_transaction_sync(&signed().await?).await?.status());
    not_applicable!(
        "Provider.send_raw_transaction_conditional",
        OTHER,
        p.send_raw_transaction_conditional(&signed().await?, Default::default()).await?.tx_hash()
    );
    not_applicable!(
        "Provider.sign_transaction",
        SIGNED,
        p.sign_transaction(TransactionRequest { from: Some(t.node_account), ..t.payment() }).await?
    );
    pass!("Provider.fill_transaction", !p.fill_transaction(t.payment()).await?.raw.is_empty());
}

async fn filters(t: &Tour) {
    let p = &t.http;
    pass!("Provider.new_block_filter", {
        let id = p.new_block_filter().await?;
        t.pay().await?;
        p.get_filter_changes::<B256>(id).await?.len() == 1
    });
    pass!("Provider.new_pending_transactions_filter", {
        let id = p.new_pending_transactions_filter(false).await?;
        t.pay().await?;
        p.get_filter_changes::<B256>(id).await?.len() == 1
    });
    pass!("Provider.new_filter", {
        let id = p.new_filter(&Filter::new().address(t.counter).from_block(0).to_block(t.number)).await?;
        p.get_filter_logs(id).await?.len() == 2
    });
    pass!("Provider.get_filter_changes", {
        let id = p.new_filter(&Filter::new().address(t.counter)).await?;
        t.add().await?;
        p.get_filter_changes::<Log>(id).await?.len() == 1
    });
    pass!("Provider.get_filter_changes_dyn", {
        let id = p.new_block_filter().await?;
        t.pay().await?;
        p.get_filter_changes_dyn(id).await?.as_hashes().is_some_and(|hashes| hashes.len() == 1)
    });
    pass!("Provider.get_filter_logs", {
        let id = p.new_filter(&Filter::new().address(t.counter).from_block(0).to_block(t.number)).await?;
        p.get_filter_logs(id).await?.iter().all(|log| log.address() == t.counter)
    });
    pass!("Provider.uninstall_filter", {
        let id = p.new_block_filter().await?;
        p.uninstall_filter(id).await? && !p.uninstall_filter(id).await?
    });
}

async fn watching(t: &Tour) {
    let p = &t.http;
    pass!("Provider.watch_blocks", {
        let mut blocks = p.watch_blocks().await?.into_stream();
        t.pay().await?;
        blocks.next().await.is_some_and(|hashes| !hashes.is_empty())
    });
    pass!("Provider.watch_full_blocks", {
        let mut blocks = p.watch_full_blocks().await?.into_stream();
        t.pay().await?;
        blocks.next().await.ok_or("no block")??.header.number() > t.number
    });
    pass!("Provider.watch_headers", {
        let mut headers = p.watch_headers().await?.into_stream();
        t.pay().await?;
        headers.next().await.ok_or("no header")??.number() > t.number
    });
    pass!("Provider.watch_pending_transactions", {
        let mut hashes = p.watch_pending_transactions().await?.into_stream();
        t.pay().await?;
        hashes.next().await.is_some()
    });
    pass!("Provider.watch_full_pending_transactions", {
        let mut transactions = p.watch_full_pending_transactions().await?.into_stream();
        t.pay().await?;
        !transactions.next().await.ok_or("no transactions")?.is_empty()
    });
    pass!("Provider.watch_logs", {
        let mut logs = p.watch_logs(&Filter::new().address(t.counter)).await?.into_stream();
        t.add().await?;
        logs.next().await.is_some_and(|logs| logs[0].address() == t.counter)
    });
    pass!(
        "Provider.watch_pending_transaction",
        p.watch_pending_transaction(PendingTransactionConfig::new(t.transaction)).await?.await? == t.transaction
    );
}

async fn subscriptions(t: &Tour) {
    let p = &t.ws;
    pass!("Provider.subscribe_blocks", {
        let mut heads = p.subscribe_blocks().await?;
        t.pay().await?;
        heads.recv().await?.number() > t.number
    });
    pass!("Provider.subscribe_full_blocks", {
        let mut blocks = p.subscribe_full_blocks().into_stream().await?;
        t.pay().await?;
        blocks.next().await.ok_or("no block")??.header.number() > t.number
    });
    pass!("Provider.subscribe_pending_transactions", {
        let mut hashes = p.subscribe_pending_transactions().await?;
        t.pay().await?;
        hashes.recv().await? != B256::ZERO
    });
    pass!("Provider.subscribe_full_pending_transactions", {
        let mut transactions = p.subscribe_full_pending_transactions().await?;
        t.pay().await?;
        transactions.recv().await?.from() == t.account
    });
    pass!("Provider.subscribe_logs", {
        let mut logs = p.subscribe_logs(&Filter::new().address(t.counter)).await?;
        t.add().await?;
        logs.recv().await?.address() == t.counter
    });
    pass!("Provider.subscribe", {
        let mut heads = p.subscribe::<_, alloy::rpc::types::Header>(("newHeads",)).await?;
        t.pay().await?;
        heads.recv().await?.number() > t.number
    });
    pass!("Provider.unsubscribe", {
        let heads = p.subscribe_blocks().await?;
        p.unsubscribe(*heads.local_id()).await.is_ok()
    });
}
