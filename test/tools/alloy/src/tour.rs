use std::{error::Error, future::Future, time::Duration};

use alloy::{
    network::EthereumWallet,
    primitives::{Address, B256, Bytes, U256},
    providers::{DynProvider, Provider, ProviderBuilder, WsConnect},
    rpc::types::TransactionRequest,
    signers::local::PrivateKeySigner,
    sol,
};
use serde_json::Value;

sol! {
    #[sol(rpc)]
    contract Counter {
        event Added(uint256 total);
        function add(uint256 amount);
        function total() view returns (uint256);
    }
}

pub type Failure = Box<dyn Error + Send + Sync>;

/// What the tour knows of the chain, which ../tours/chain.ts prepared, and its connections.
pub struct Tour {
    /// Over HTTP, with a key in this process.
    pub http: DynProvider,
    pub ws: DynProvider,
    pub wallet: EthereumWallet,
    pub account: Address,
    pub node_account: Address,
    pub counter: Address,
    pub runtime: Bytes,
    pub input: Bytes,
    pub transaction: B256,
    pub gas_used: u64,
    pub block: B256,
    pub number: u64,
    pub state_root: B256,
}

impl Tour {
    pub async fn open() -> Self {
        let chain: Value = serde_json::from_str(&std::env::var("TOUR_CHAIN").expect("TOUR_CHAIN")).expect("JSON");
        let text = |path: &str| chain.pointer(path).and_then(Value::as_str).expect(path).to_owned();
        let number = |path: &str| chain.pointer(path).and_then(Value::as_u64).expect(path);
        let signer: PrivateKeySigner = text("/privateKey").parse().expect("a key");
        let account = signer.address();
        let wallet = EthereumWallet::from(signer);
        let url = text("/url").parse().expect("a URL");
        let socket = ProviderBuilder::new().connect_ws(WsConnect::new(text("/wsUrl"))).await.expect("WebSocket");
        let http = ProviderBuilder::new().wallet(wallet.clone()).connect_http(url);
        http.client().set_poll_interval(Duration::from_millis(50));
        Self {
            http: http.erased(),
            ws: socket.erased(),
            wallet,
            account,
            node_account: text("/nodeAccount").parse().expect("an address"),
            counter: text("/counter/address").parse().expect("an address"),
            runtime: text("/counter/runtime").parse().expect("bytes"),
            input: text("/transaction/input").parse().expect("bytes"),
            transaction: text("/transaction/hash").parse().expect("a hash"),
            gas_used: number("/transaction/gasUsed"),
            block: text("/block/hash").parse().expect("a hash"),
            number: number("/block/number"),
            state_root: text("/block/stateRoot").parse().expect("a hash"),
        }
    }

    /// A payment with a gas price: without one the library sends a fee-market transaction.
    pub fn payment(&self) -> TransactionRequest {
        let payment = TransactionRequest::default().to(self.node_account).value(U256::from(1));
        TransactionRequest { gas_price: Some(1), from: Some(self.account), ..payment }
    }

    pub fn total(&self) -> TransactionRequest {
        let contract = Counter::new(self.counter, &self.http);
        TransactionRequest { from: Some(self.account), ..contract.total().into_transaction_request() }
    }

    pub async fn pay(&self) -> Result<(), Failure> {
        // The library counts nonces itself, but not those of raw transactions.
        let payment = self.payment().nonce(self.http.get_transaction_count(self.account).await?);
        self.http.send_transaction(payment).await?.get_receipt().await?;
        Ok(())
    }

    pub async fn add(&self) -> Result<(), Failure> {
        let contract = Counter::new(self.counter, &self.http);
        let nonce = self.http.get_transaction_count(self.account).await?;
        contract.add(U256::ZERO).gas_price(1).nonce(nonce).send().await?.get_receipt().await?;
        Ok(())
    }
}

/// Awaits a check and prints its outcome. With a reason, the method is not applicable, and must fail.
pub async fn report(name: &str, reason: Option<&str>, check: impl Future<Output = Result<bool, Failure>>) {
    let result = match tokio::time::timeout(Duration::from_secs(60), check).await {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err("an implausible result".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer for 60 seconds".to_owned()),
    };
    match (result, reason) {
        (Ok(()), None) => println!("passed {name}"),
        (Err(error), None) => println!("failed {name}: {}", error.replace('\n', " ")),
        (Ok(()), Some(_)) => println!("failed {name}: passed, but is listed as not applicable"),
        (Err(_), Some(reason)) => println!("not applicable {name}: {reason}"),
    }
}

/// `pass!("name", check)`: the check may use `?`.
#[macro_export]
macro_rules! pass {
    ($name:expr, $check:expr) => {
        $crate::tour::report($name, None, async { Ok::<bool, $crate::tour::Failure>($check) }).await
    };
}

/// `not_applicable!("name", reason, call)`
#[macro_export]
macro_rules! not_applicable {
    ($name:expr, $reason:expr, $call:expr) => {
        $crate::tour::report($name, Some($reason), async {
            $call;
            Ok::<bool, $crate::tour::Failure>(true)
        })
        .await
    };
}
