//! The tour through alloy. See ../../tours.test.ts. Rust lists no methods at run time: the names are those of the traits.

mod debug;
mod extensions;
mod provider;
mod tour;

#[tokio::main]
async fn main() {
    let tour = tour::Tour::open().await;
    provider::visit(&tour).await;
    debug::visit(&tour).await;
    extensions::visit(&tour).await;
}
