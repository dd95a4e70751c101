use alloy::{
    eips::BlockId,
    providers::ext::DebugApi,
    rpc::types::{
        Bundle, StateContext,
        trace::geth::{CallFrame, GethDebugTracingCallOptions, GethDebugTracingOptions, GethTrace, PreStateConfig},
    },
};

use crate::{not_applicable, pass, tour::Tour};

const OTHER_NODES: &str = "a method of other nodes, not of the API document";
const OTHER: &str = "concerns another program's database";

pub async fn visit(t: &Tour) {
    raw(t).await;
    transactions(t).await;
    calls(t).await;
    blocks(t).await;
}

async fn raw(t: &Tour) {
    let (p, block) = (&t.http, BlockId::number(t.number));
    pass!("DebugApi.debug_get_raw_header", !p.debug_get_raw_header(block).await?.is_empty());
    pass!("DebugApi.debug_get_raw_block", !p.debug_get_raw_block(block).await?.is_empty());
    pass!("DebugApi.debug_get_raw_transaction", !p.debug_get_raw_transaction(t.transaction).await?.is_empty());
    pass!("DebugApi.debug_get_raw_receipts", p.debug_get_raw_receipts(block).await?.len() == 2);
    not_applicable!("DebugApi.debug_get_bad_blocks", "invalid blocks are not kept", p.debug_get_bad_blocks().await?);
    not_applicable!("DebugApi.debug_db_get", OTHER, p.debug_db_get("0x00").await?);
    not_applicable!("DebugApi.debug_code_by_hash", OTHER, p.debug_code_by_hash(t.block, None).await?);
    not_applicable!(
        "DebugApi.debug_execution_witness",
        "its form is that of Ethereum's state trie",
        p.debug_execution_witness(t.number.into()).await?
    );
}

fn call_tracer() -> GethDebugTracingOptions {
    GethDebugTracingOptions::call_tracer(Default::default())
}

async fn transactions(t: &Tour) {
    let (p, hash) = (&t.http, t.transaction);
    pass!(
        "DebugApi.debug_trace_transaction",
        matches!(p.debug_trace_transaction(hash, call_tracer()).await?, GethTrace::CallTracer(frame) if frame.from == t.node_account)
    );
    pass!("DebugApi.debug_trace_transaction_as", {
        let frame: CallFrame = p.debug_trace_transaction_as(hash, call_tracer()).await?;
        frame.to == Some(t.counter)
    });
    pass!("DebugApi.debug_trace_transaction_js", p.debug_trace_transaction_js(hash, call_tracer()).await?.is_object());
    pass!(
        "DebugApi.debug_trace_transaction_call",
        p.debug_trace_transaction_call(hash, call_tracer()).await?.input == t.input
    );
}

async fn calls(t: &Tour) {
    let (p, at) = (&t.http, BlockId::number(t.number));
    let options = || GethDebugTracingCallOptions::default().with_tracing_options(call_tracer());
    let prestate = || {
        let tracer = GethDebugTracingOptions::prestate_tracer(PreStateConfig::default());
        GethDebugTracingCallOptions::default().with_tracing_options(tracer)
    };
    pass!(
        "DebugApi.debug_trace_call",
        matches!(p.debug_trace_call(t.total(), at, options()).await?, GethTrace::CallTracer(_))
    );
    pass!("DebugApi.debug_trace_call_as", {
        let frame: CallFrame = p.debug_trace_call_as(t.total(), at, options()).await?;
        frame.to == Some(t.counter)
    });
    pass!("DebugApi.debug_trace_call_js", p.debug_trace_call_js(t.total(), at, options()).await?.is_object());
    pass!(
        "DebugApi.debug_trace_call_callframe",
        p.debug_trace_call_callframe(t.total(), at, options()).await?.to == Some(t.counter)
    );
    pass!(
        "DebugApi.debug_trace_call_prestate",
        p.debug_trace_call_prestate(t.total(), at, prestate()).await?.is_default()
    );
    let bundle = || vec![Bundle::from(vec![t.total()])];
    let state = StateContext::default;
    pass!(
        "DebugApi.debug_trace_call_many",
        matches!(p.debug_trace_call_many(bundle(), state(), options()).await?[0][0], GethTrace::CallTracer(_))
    );
    pass!("DebugApi.debug_trace_call_many_as", {
        let frames: Vec<Vec<CallFrame>> = p.debug_trace_call_many_as(bundle(), state(), options()).await?;
        frames[0][0].to == Some(t.counter)
    });
    pass!(
        "DebugApi.debug_trace_call_many_js",
        p.debug_trace_call_many_js(bundle(), state(), options()).await?[0][0].is_object()
    );
    pass!(
        "DebugApi.debug_trace_call_many_callframe",
        p.debug_trace_call_many_callframe(bundle(), state(), options()).await?[0][0].to == Some(t.counter)
    );
    pass!(
        "DebugApi.debug_trace_call_many_prestate",
        p.debug_trace_call_many_prestate(bundle(), state(), prestate()).await?[0][0].is_default()
    );
}

async fn blocks(t: &Tour) {
    let p = &t.http;
    pass!("DebugApi.debug_trace_block_by_hash", !p.debug_trace_block_by_hash(t.block, call_tracer()).await?.is_empty());
    pass!(
        "DebugApi.debug_trace_block_by_number",
        !p.debug_trace_block_by_number(t.number.into(), call_tracer()).await?.is_empty()
    );
    pass!("DebugApi.debug_trace_block", {
        let encoded = p.debug_get_raw_block(t.block.into()).await?;
        !p.debug_trace_block(&encoded, call_tracer()).await?.is_empty()
    });
    not_applicable!("DebugApi.debug_trace_chain", OTHER_NODES, p.debug_trace_chain(0.into(), t.number.into()).await?);
}
