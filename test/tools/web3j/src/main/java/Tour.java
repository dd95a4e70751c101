import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.reactivex.Flowable;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.LinkedHashMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.web3j.crypto.Credentials;
import org.web3j.crypto.RawTransaction;
import org.web3j.crypto.TransactionEncoder;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.core.DefaultBlockParameter;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.Request;
import org.web3j.protocol.core.Response;
import org.web3j.protocol.core.methods.request.EthFilter;
import org.web3j.protocol.core.methods.request.Transaction;
import org.web3j.protocol.http.HttpService;
import org.web3j.protocol.websocket.WebSocketService;
import org.web3j.utils.Numeric;

/** The tour through web3j. See ../tours.test.ts. */
public final class Tour {
    private static final String REMOVED = "removed from Ethereum's API, or of another service";
    private static final Set<String> LOCAL = Set.of("shutdown", "close", "build");

    /** A call with a check of its result. */
    private interface Check {
        boolean holds() throws Exception;
    }

    /** A method of the library; with a reason, it is not applicable, and must fail. */
    private record Visit(Check check, String reason) {}

    private final Map<String, Visit> methods = new LinkedHashMap<>();
    private final JsonNode chain;
    private final Web3j web3;
    private final Web3j socket;
    private final Credentials account;
    private final String counter;
    private final String nodeAccount;
    private final String hash;
    private final String blockHash;
    private final DefaultBlockParameter number;
    private final DefaultBlockParameter latest = DefaultBlockParameterName.LATEST;

    private Tour() throws Exception {
        chain = new ObjectMapper().readTree(System.getenv("TOUR_CHAIN"));
        web3 = Web3j.build(new HttpService(text("/url")), 50, java.util.concurrent.Executors.newScheduledThreadPool(4));
        WebSocketService service = new WebSocketService(text("/wsUrl"), false);
        service.connect();
        socket = Web3j.build(service);
        account = Credentials.create(text("/privateKey"));
        counter = text("/counter/address");
        nodeAccount = text("/nodeAccount");
        hash = text("/transaction/hash");
        blockHash = text("/block/hash");
        number = DefaultBlockParameter.valueOf(BigInteger.valueOf(chain.at("/block/number").asLong()));
    }

    public static void main(String[] arguments) throws Exception {
        Tour tour = new Tour();
        tour.addNode();
        tour.addState();
        tour.addBlocks();
        tour.addSending();
        tour.addFilters();
        tour.addFlowables();
        tour.addInapplicable();
        tour.visit();
        System.exit(0);
    }

    private String text(String path) {
        return chain.at(path).asText();
    }

    private void pass(String name, Check check) {
        methods.put(name, new Visit(check, null));
    }

    private void notApplicable(String reason, String name, Check call) {
        methods.put(name, new Visit(call, reason));
    }

    /** Sends a request; an error in its response is an exception. */
    private static <T extends Response<?>> T send(Request<?, T> request) throws Exception {
        T response = request.send();
        if (response.hasError()) throw new IllegalStateException(response.getError().getMessage());
        return response;
    }

    /** Runs the methods in order and prints a line for each. Each method of the library must be there. */
    private void visit() {
        Set<String> missing = new TreeSet<>();
        for (Method method : Web3j.class.getMethods()) missing.add(method.getName());
        missing.removeAll(LOCAL);
        methods.forEach((name, method) -> {
            if (!missing.remove(name)) System.out.println("failed Web3j." + name + ": not in the library");
            else System.out.println(outcome("Web3j." + name, method));
        });
        for (String name : missing) System.out.println("failed Web3j." + name + ": not in the tour");
    }

    private static String outcome(String name, Visit method) {
        String failure = null;
        try {
            if (!method.check().holds()) failure = "an implausible result";
        } catch (Exception error) {
            failure = error.toString().replaceAll("\\s+", " ");
        }
        if (method.reason() == null) return failure == null ? "passed " + name : "failed " + name + ": " + failure;
        if (failure == null) return "failed " + name + ": passed, but is listed as not applicable";
        return "not applicable " + name + ": " + method.reason();
    }

    private void addNode() {
        pass("web3ClientVersion", () -> send(web3.web3ClientVersion()).getWeb3ClientVersion().startsWith("Cambium/"));
        pass("web3Sha3", () -> send(web3.web3Sha3("0x68656c6c6f")).getResult().length() == 66);
        pass("netVersion", () -> send(web3.netVersion()).getNetVersion().equals("33"));
        pass("netListening", () -> send(web3.netListening()).getResult() != null);
        pass("netPeerCount", () -> send(web3.netPeerCount()).getQuantity().signum() == 0);
        pass("ethProtocolVersion", () -> !send(web3.ethProtocolVersion()).getProtocolVersion().isEmpty());
        pass("ethChainId", () -> send(web3.ethChainId()).getChainId().intValue() == 33);
        pass("ethCoinbase", () -> send(web3.ethCoinbase()).getAddress().length() == 42);
        pass("ethSyncing", () -> !send(web3.ethSyncing()).isSyncing());
        pass("ethMining", () -> send(web3.ethMining()).isMining());
        pass("ethHashrate", () -> send(web3.ethHashrate()).getHashrate().signum() >= 0);
        pass("ethGasPrice", () -> send(web3.ethGasPrice()).getGasPrice().signum() >= 0);
        pass("ethMaxPriorityFeePerGas", () -> send(web3.ethMaxPriorityFeePerGas()).getMaxPriorityFeePerGas().signum() >= 0);
        pass("ethFeeHistory", () -> send(web3.ethFeeHistory(2, latest, List.of(50.0))).getFeeHistory().getReward().size() == 2);
        // Computed from a block, of which a chain without blobs says nothing about them.
        pass("ethGetBaseFeePerBlobGas", () -> web3.ethGetBaseFeePerBlobGas().signum() >= 0);
        pass("ethAccounts", () -> send(web3.ethAccounts()).getAccounts().contains(nodeAccount));
        pass("ethBlockNumber", () -> send(web3.ethBlockNumber()).getBlockNumber().signum() > 0);
        pass("ethGetWork", () -> send(web3.ethGetWork()).getResult().size() == 3);
        String zero = "0x" + "0".repeat(64);
        pass("ethSubmitWork", () -> !send(web3.ethSubmitWork("0x0000000000000001", zero, zero)).solutionValid());
        pass("ethSubmitHashrate", () -> send(web3.ethSubmitHashrate(zero, zero)).getResult() != null);
        pass("txPoolStatus", () -> send(web3.txPoolStatus()).getPending() == 0);
        pass("newBatch", () -> {
            var batch = web3.newBatch();
            batch.add(web3.ethChainId());
            batch.add(web3.ethBlockNumber());
            return batch.send().getResponses().stream().noneMatch(Response::hasError);
        });
    }

    private Transaction total() {
        return Transaction.createEthCallTransaction(account.getAddress(), counter, "0x2ddbd13a");
    }

    private static boolean is42(String quantity) {
        return Numeric.toBigInt(quantity).intValue() == 42;
    }

    private void addState() {
        pass("ethGetBalance", () -> send(web3.ethGetBalance(account.getAddress(), latest)).getBalance().bitLength() > 60);
        pass("ethGetStorageAt", () -> is42(send(web3.ethGetStorageAt(counter, BigInteger.ZERO, number)).getData()));
        pass("ethGetTransactionCount", () -> send(web3.ethGetTransactionCount(nodeAccount, number)).getTransactionCount().intValue() == 3);
        pass("ethGetCode", () -> send(web3.ethGetCode(counter, latest)).getCode().equals(text("/counter/runtime")));
        pass("ethGetProof", () -> {
            var proof = send(web3.ethGetProof(counter, List.of("0x" + "0".repeat(64)), "latest")).getProof();
            return !proof.getAccountProof().isEmpty() && proof.getStorageProof().size() == 1;
        });
        pass("ethCall", () -> is42(send(web3.ethCall(total(), number)).getValue()));
        pass("ethEstimateGas", () -> send(web3.ethEstimateGas(total())).getAmountUsed().intValue() > 21_000);
    }

    private void addBlocks() {
        pass("ethGetBlockByHash", () -> send(web3.ethGetBlockByHash(blockHash, true)).getBlock().getStateRoot().equals(text("/block/stateRoot")));
        pass("ethGetBlockByNumber", () -> send(web3.ethGetBlockByNumber(number, false)).getBlock().getHash().equals(blockHash));
        pass("ethGetBlockTransactionCountByHash", () -> send(web3.ethGetBlockTransactionCountByHash(blockHash)).getTransactionCount().intValue() == 2);
        pass("ethGetBlockTransactionCountByNumber", () -> send(web3.ethGetBlockTransactionCountByNumber(number)).getTransactionCount().intValue() == 2);
        pass("ethGetUncleCountByBlockHash", () -> send(web3.ethGetUncleCountByBlockHash(blockHash)).getUncleCount().signum() == 0);
        pass("ethGetUncleCountByBlockNumber", () -> send(web3.ethGetUncleCountByBlockNumber(number)).getUncleCount().signum() == 0);
        pass("ethGetUncleByBlockHashAndIndex", () -> send(web3.ethGetUncleByBlockHashAndIndex(blockHash, BigInteger.ZERO)).getBlock() == null);
        pass("ethGetUncleByBlockNumberAndIndex", () -> send(web3.ethGetUncleByBlockNumberAndIndex(number, BigInteger.ZERO)).getBlock() == null);
        pass("ethGetTransactionByHash", () -> send(web3.ethGetTransactionByHash(hash)).getTransaction().get().getFrom().equals(nodeAccount));
        pass("ethGetTransactionByBlockHashAndIndex", () -> {
            return send(web3.ethGetTransactionByBlockHashAndIndex(blockHash, BigInteger.ZERO)).getTransaction().get().getHash().equals(hash);
        });
        pass("ethGetTransactionByBlockNumberAndIndex", () -> {
            return send(web3.ethGetTransactionByBlockNumberAndIndex(number, BigInteger.ZERO)).getTransaction().get().getHash().equals(hash);
        });
        pass("ethGetTransactionReceipt", () -> {
            var receipt = send(web3.ethGetTransactionReceipt(hash)).getTransactionReceipt().get();
            return receipt.isStatusOK() && receipt.getGasUsed().intValue() == chain.at("/transaction/gasUsed").asInt();
        });
        pass("ethGetBlockReceipts", () -> send(web3.ethGetBlockReceipts(number)).getBlockReceipts().get().size() == 2);
        pass("ethGetLogs", () -> send(web3.ethGetLogs(filter())).getLogs().size() == 2);
    }

    private EthFilter filter() {
        return new EthFilter(DefaultBlockParameterName.EARLIEST, number, counter);
    }

    private BigInteger nonce() throws Exception {
        return send(web3.ethGetTransactionCount(account.getAddress(), latest)).getTransactionCount();
    }

    /** Sends a call of `add(0)` to the counter; returns its hash. */
    private String add() throws Exception {
        String data = "0x1003e2d2" + "0".repeat(64);
        var call = RawTransaction.createTransaction(nonce(), BigInteger.ONE, BigInteger.valueOf(100_000), counter, data);
        byte[] signed = TransactionEncoder.signMessage(call, 33, account);
        return send(web3.ethSendRawTransaction(Numeric.toHexString(signed))).getTransactionHash();
    }

    private void addSending() {
        pass("ethSign", () -> send(web3.ethSign(nodeAccount, "0x1234")).getSignature().length() == 132);
        pass("ethSendRawTransaction", () -> send(web3.ethGetTransactionReceipt(add())).getTransactionReceipt().get().isStatusOK());
        pass("ethSendTransaction", () -> {
            var payment = Transaction.createEtherTransaction(
                    nodeAccount, null, BigInteger.ONE, BigInteger.valueOf(21_000), account.getAddress(), BigInteger.ONE);
            return send(web3.ethSendTransaction(payment)).getTransactionHash().length() == 66;
        });
    }

    private void addFilters() {
        pass("ethNewFilter", () -> send(web3.ethGetFilterLogs(send(web3.ethNewFilter(filter())).getFilterId())).getLogs().size() == 2);
        pass("ethNewBlockFilter", () -> {
            BigInteger id = send(web3.ethNewBlockFilter()).getFilterId();
            add();
            return send(web3.ethGetFilterChanges(id)).getLogs().size() == 1;
        });
        pass("ethNewPendingTransactionFilter", () -> {
            BigInteger id = send(web3.ethNewPendingTransactionFilter()).getFilterId();
            String sent = add();
            return send(web3.ethGetFilterChanges(id)).getLogs().get(0).get().equals(sent);
        });
        pass("ethGetFilterChanges", () -> {
            BigInteger id = send(web3.ethNewFilter(new EthFilter(latest, latest, counter))).getFilterId();
            add();
            return send(web3.ethGetFilterChanges(id)).getLogs().size() == 1;
        });
        pass("ethGetFilterLogs", () -> send(web3.ethGetFilterLogs(send(web3.ethNewFilter(filter())).getFilterId())).getLogs().size() == 2);
        pass("ethUninstallFilter", () -> send(web3.ethUninstallFilter(send(web3.ethNewBlockFilter()).getFilterId())).isUninstalled());
    }

    /** Subscribes, sends transactions until something arrives, and checks that. */
    private boolean notified(Flowable<?> flowable) throws Exception {
        var received = flowable.test();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (received.valueCount() == 0 && System.nanoTime() < end) {
            add();
            received.await(300, TimeUnit.MILLISECONDS);
        }
        boolean holds = received.valueCount() > 0;
        received.dispose();
        return holds;
    }

    private void addFlowables() {
        DefaultBlockParameter earliest = DefaultBlockParameterName.EARLIEST;
        pass("ethLogFlowable", () -> notified(web3.ethLogFlowable(new EthFilter(latest, latest, counter))));
        pass("ethBlockHashFlowable", () -> notified(web3.ethBlockHashFlowable()));
        pass("ethPendingTransactionHashFlowable", () -> notified(web3.ethPendingTransactionHashFlowable()));
        pass("transactionFlowable", () -> notified(web3.transactionFlowable()));
        pass("pendingTransactionFlowable", () -> notified(web3.pendingTransactionFlowable()));
        pass("blockFlowable", () -> notified(web3.blockFlowable(true)));
        pass("replayPastBlocksFlowable", () -> {
            long blocks = chain.at("/block/number").asLong() + 1;
            return web3.replayPastBlocksFlowable(earliest, number, true).count().blockingGet() == blocks
                    && web3.replayPastBlocksFlowable(earliest, number, true, false).count().blockingGet() == blocks;
        });
        pass("replayPastTransactionsFlowable", () -> web3.replayPastTransactionsFlowable(number, number).count().blockingGet() == 2);
        pass("replayPastAndFutureBlocksFlowable", () -> notified(web3.replayPastAndFutureBlocksFlowable(number, true)));
        pass("replayPastAndFutureTransactionsFlowable", () -> notified(web3.replayPastAndFutureTransactionsFlowable(number)));
        pass("newHeadsNotifications", () -> notified(socket.newHeadsNotifications()));
        pass("logsNotifications", () -> notified(socket.logsNotifications(List.of(counter), List.of())));
    }

    private boolean refused(Request<?, ? extends Response<?>> request) throws Exception {
        send(request);
        return true;
    }

    private void addInapplicable() {
        String goEthereum = "concerns the program go-ethereum";
        notApplicable(goEthereum, "adminNodeInfo", () -> refused(web3.adminNodeInfo()));
        notApplicable(goEthereum, "adminPeers", () -> refused(web3.adminPeers()));
        notApplicable(goEthereum, "adminAddPeer", () -> refused(web3.adminAddPeer("enode://")));
        notApplicable(goEthereum, "adminRemovePeer", () -> refused(web3.adminRemovePeer("enode://")));
        notApplicable(goEthereum, "adminDataDir", () -> refused(web3.adminDataDir()));
        notApplicable("blocks have no base fee", "ethBaseFee", () -> refused(web3.ethBaseFee()));
        notApplicable(REMOVED, "ethGetCompilers", () -> refused(web3.ethGetCompilers()));
        notApplicable(REMOVED, "ethCompileLLL", () -> refused(web3.ethCompileLLL("")));
        notApplicable(REMOVED, "ethCompileSolidity", () -> refused(web3.ethCompileSolidity("")));
        notApplicable(REMOVED, "ethCompileSerpent", () -> refused(web3.ethCompileSerpent("")));
        notApplicable(REMOVED, "dbPutString", () -> refused(web3.dbPutString("a", "b", "c")));
        notApplicable(REMOVED, "dbGetString", () -> refused(web3.dbGetString("a", "b")));
        notApplicable(REMOVED, "dbPutHex", () -> refused(web3.dbPutHex("a", "b", "0x")));
        notApplicable(REMOVED, "dbGetHex", () -> refused(web3.dbGetHex("a", "b")));
        notApplicable(REMOVED, "shhPost", () -> refused(web3.shhPost(null)));
        notApplicable(REMOVED, "shhVersion", () -> refused(web3.shhVersion()));
        notApplicable(REMOVED, "shhNewIdentity", () -> refused(web3.shhNewIdentity()));
        notApplicable(REMOVED, "shhHasIdentity", () -> refused(web3.shhHasIdentity("0x00")));
        notApplicable(REMOVED, "shhNewGroup", () -> refused(web3.shhNewGroup()));
        notApplicable(REMOVED, "shhAddToGroup", () -> refused(web3.shhAddToGroup("0x00")));
        notApplicable(REMOVED, "shhNewFilter", () -> refused(web3.shhNewFilter(null)));
        notApplicable(REMOVED, "shhUninstallFilter", () -> refused(web3.shhUninstallFilter(BigInteger.ONE)));
        notApplicable(REMOVED, "shhGetFilterChanges", () -> refused(web3.shhGetFilterChanges(BigInteger.ONE)));
        notApplicable(REMOVED, "shhGetMessages", () -> refused(web3.shhGetMessages(BigInteger.ONE)));
    }
}
