import { join } from "node:path";
import { type Ip, isLoopback, type Logger, parseIp } from "@cambium/primitives";
import { NetworkingError } from "../errors.js";
import type { PeerId } from "../interface.js";
import { BanTable } from "./ban-table.js";
import type { ScoringEvent } from "./events.js";
import type { PeerScoring, ReputationSummary, ScoredSubject, ScoringReport } from "./interface.js";
import { nodeId, parsePeerId } from "./node-id.js";
import { ADDRESS_PUNISHMENT, NODE_PUNISHMENT, type PunishmentRule } from "./punishment.js";
import { summarizeReputation } from "./reputation-summary.js";
import { ScoreCard } from "./score-card.js";
import { ScoreTable } from "./score-table.js";
import { readScoringFile, writeScoringFile } from "./scoring-file.js";

/** Maximum number of entries in the tables (`spec/07 §D.9`). */
const MAX_NODES = 1000;
const MAX_ADDRESSES = 4096;

/** Milliseconds after a change until the file is written. */
const WRITE_DELAY = 10_000;

export interface PeerScoringOptions {
  /** Folder of `scoring.json`. */
  folder: string;
  bannedPeers: readonly PeerId[];
  /** Banned addresses and blocks `a.b.c.d/bits`. */
  bannedAddresses: readonly string[];
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  /** Receives failures to read or write the file. */
  logger?: Pick<Logger, "warn">;
}

/** Peer scoring with the functions for its owner. */
export interface RunningPeerScoring extends PeerScoring {
  /** Writes pending changes. */
  close(): void;
}

/**
 * Scores, punishments and bans of peers and addresses (`spec/07 §C`, `§D.9`), stored in a file; starts empty if the
 * file is damaged. Throws {@link NetworkingError} `INVALID_ADDRESS` or `INVALID_OPTION` for invalid configured bans.
 */
export function openPeerScoring(options: PeerScoringOptions): RunningPeerScoring {
  return new StoredPeerScoring(options);
}

type BadListener = Parameters<PeerScoring["onBad"]>[0];

class StoredPeerScoring implements RunningPeerScoring {
  private readonly nodes: ScoreTable;
  private readonly addresses: ScoreTable;
  private readonly bannedPeers: ReadonlySet<PeerId>;
  private readonly bans: BanTable;
  private readonly listeners = new Set<BadListener>();
  private readonly path: string;
  private writing: NodeJS.Timeout | undefined;

  constructor(private readonly options: PeerScoringOptions) {
    const { folder, bannedPeers, bannedAddresses, now } = options;
    this.nodes = new ScoreTable(MAX_NODES, () => new ScoreCard(NODE_PUNISHMENT), now);
    this.addresses = new ScoreTable(MAX_ADDRESSES, (ip) => new ScoreCard(addressRule(ip)), now);
    this.bannedPeers = new Set(bannedPeers.map(checkedPeerId));
    this.bans = new BanTable(bannedAddresses);
    this.path = join(folder, "scoring.json");
    this.restore();
  }

  record({ peer, ip }: ScoredSubject, event: ScoringEvent): void {
    const now = this.options.now();
    const address = ip === undefined ? undefined : parseIp(ip);
    const byPeer = peer !== undefined && this.nodes.getOrCreate(peer).record(event, now);
    const byAddress = address !== undefined && this.addresses.getOrCreate(address.text).record(event, now);
    this.writeSoon();
    if (byPeer || byAddress) this.notifyBad();
  }

  isGoodPeer(id: PeerId): boolean {
    return !this.bannedPeers.has(id) && (this.nodes.get(id)?.isGood(this.options.now()) ?? true);
  }

  isGoodAddress(ip: string): boolean {
    const address = parseIp(ip);
    if (address === undefined) return true;
    return !this.bans.has(address) && (this.addresses.get(address.text)?.isGood(this.options.now()) ?? true);
  }

  isBannedAddress(ip: string): boolean {
    const address = parseIp(ip);
    return address !== undefined && this.bans.has(address);
  }

  score(id: PeerId): number {
    return this.nodes.get(id)?.score ?? 0;
  }

  onBad(listener: BadListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  banAddress(text: string): void {
    this.bans.add(text);
    this.writeSoon();
    this.notifyBad();
  }

  unbanAddress(text: string): void {
    this.bans.remove(text);
    this.writeSoon();
  }

  bannedAddresses(): readonly string[] {
    return this.bans.list();
  }

  idOf(peer: PeerId): string {
    return nodeId(peer)?.shown ?? peer;
  }

  peerList(): readonly ScoringReport[] {
    const now = this.options.now();
    return [
      ...this.nodes.entries().map(([peer, card]) => ({ ...card.report(this.idOf(peer), "node", now), peer })),
      ...this.addresses.entries().map(([ip, card]) => card.report(ip, "address", now)),
    ];
  }

  reputationSummary(): ReputationSummary {
    return summarizeReputation(this.peerList());
  }

  clearPeerScoring(id: string): void {
    const address = parseIp(id.trim());
    if (address !== undefined) this.addresses.delete(address.text);
    else for (const peer of this.peersNamed(id.trim())) this.nodes.delete(peer);
    this.writeSoon();
  }

  close(): void {
    if (this.writing === undefined) return;
    clearTimeout(this.writing);
    this.write();
  }

  /** Returns peers by peer id, or by hex of the node id. */
  private peersNamed(id: string): PeerId[] {
    const peers = this.nodes.entries().map(([peer]) => peer);
    const peerId = parsePeerId(id)?.toString() ?? id;
    if (peers.includes(peerId)) return [peerId];
    const hex = id.toLowerCase().replace(/^0x/, "");
    return peers.filter((peer) => nodeId(peer)?.hex === hex);
  }

  /** Listeners check all their peers: an address has many peers, and a block many addresses. */
  private notifyBad(): void {
    const isBad = ({ peer, ip }: Required<ScoredSubject>) => !this.isGoodPeer(peer) || !this.isGoodAddress(ip);
    for (const listener of [...this.listeners]) listener(isBad);
  }

  private restore(): void {
    try {
      const { nodes, addresses, banned } = readScoringFile(this.path);
      const now = this.options.now();
      for (const text of banned) this.bans.add(text);
      for (const [peer, card] of nodes.slice(-MAX_NODES))
        this.nodes.put(peer, ScoreCard.restore(NODE_PUNISHMENT, card, now));
      for (const [ip, card] of addresses.slice(-MAX_ADDRESSES)) {
        this.addresses.put(ip, ScoreCard.restore(addressRule(ip), card, now));
      }
    } catch (error) {
      this.options.logger?.warn(
        { err: error, path: this.path },
        "Cannot read the scores of peers; starting without them",
      );
    }
  }

  private writeSoon(): void {
    this.writing ??= setTimeout(() => this.write(), WRITE_DELAY).unref();
  }

  private write(): void {
    this.writing = undefined;
    try {
      writeScoringFile(this.path, {
        nodes: this.nodes.entries().map(([peer, card]) => [peer, card.stored()]),
        addresses: this.addresses.entries().map(([ip, card]) => [ip, card.stored()]),
        banned: this.bans.added(),
      });
    } catch (error) {
      this.options.logger?.warn({ err: error, path: this.path }, "Failed to write the scores of peers");
    }
  }
}

/** Loopback addresses, which all nodes of a machine share, are never punished. */
function addressRule(text: string): PunishmentRule | undefined {
  const ip: Ip | undefined = parseIp(text);
  return ip !== undefined && isLoopback(ip) ? undefined : ADDRESS_PUNISHMENT;
}

function checkedPeerId(text: PeerId): PeerId {
  const peer = parsePeerId(text);
  if (peer !== undefined) return peer.toString();
  throw new NetworkingError({ code: "INVALID_OPTION", option: "bannedPeers", reason: `${text} is not a peer id` });
}
