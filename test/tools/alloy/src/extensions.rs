use alloy::{
    eips::BlockId,
    primitives::U256,
    providers::{
        Provider,
        ext::{NetApi, TraceApi, TxPoolApi},
    },
    rpc::types::trace::{filter::TraceFilter, parity::TraceType},
};

use crate::{not_applicable, pass, tour::Tour};

/// Traits with the methods of other modules.
pub async fn visit(t: &Tour) {
    let p = &t.http;
    pass!("NetApi.net_listening", p.net_listening().await.is_ok());
    pass!("NetApi.net_peer_count", p.net_peer_count().await? == 0);
    pass!("NetApi.net_version", p.net_version().await? == 33);

    pass!("TxPoolApi.txpool_content", p.txpool_content().await?.pending.is_empty());
    pass!("TxPoolApi.txpool_content_from", p.txpool_content_from(t.account).await?.pending.is_empty());
    pass!("TxPoolApi.txpool_inspect", p.txpool_inspect().await?.pending.is_empty());
    pass!("TxPoolApi.txpool_status", p.txpool_status().await?.pending == 0);

    let raw = p.get_raw_transaction_by_hash(t.transaction).await.ok().flatten().unwrap_or_default();
    pass!(
        "TraceApi.trace_call",
        U256::from_be_slice(&p.trace_call(&t.total()).trace().await?.output) == U256::from(42)
    );
    pass!("TraceApi.trace_transaction", p.trace_transaction(t.transaction).await?.len() == 1);
    pass!("TraceApi.trace_get", p.trace_get(t.transaction, 0).await?.transaction_hash == Some(t.transaction));
    not_applicable!(
        "TraceApi.trace_raw_transaction",
        "the library sends the bytes as a list of numbers",
        p.trace_raw_transaction(&raw).trace().await?
    );
    pass!(
        "TraceApi.trace_filter",
        !p.trace_filter(&TraceFilter::default().from_block(t.number).to_block(t.number)).await?.is_empty()
    );
    pass!("TraceApi.trace_block", p.trace_block(BlockId::number(t.number)).await?.len() == 2);
    pass!(
        "TraceApi.trace_replay_transaction",
        p.trace_replay_transaction(t.transaction).trace().await?.trace.len() == 1
    );
    pass!(
        "TraceApi.trace_replay_block_transactions",
        p.trace_replay_block_transactions(BlockId::number(t.number)).trace().await?.len() == 2
    );
    let total = t.total();
    pass!(
        "TraceApi.trace_call_many",
        p.trace_call_many(&[(total, &[TraceType::Trace][..])]).await?[0].trace.len() == 1
    );
}
