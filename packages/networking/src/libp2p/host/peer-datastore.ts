import { LevelDatastore } from "datastore-level";

type Put = LevelDatastore["put"];
type Delete = LevelDatastore["delete"];

/**
 * The addresses of known peers on disk. Where they cannot be written, the node does without: libp2p would reject
 * whatever it stores them for, be it a connection or its own end.
 */
export class PeerDatastore extends LevelDatastore {
  private isSilent = false;

  constructor(
    path: string,
    /** Called for the first failure to write. */
    private readonly onFailure: (error: unknown) => void,
  ) {
    super(path);
  }

  override async put(...rest: Parameters<Put>): Promise<Awaited<ReturnType<Put>>> {
    const [key] = rest;
    return super.put(...rest).catch((error: unknown) => {
      this.note(error);
      return key;
    });
  }

  override async delete(...rest: Parameters<Delete>): Promise<void> {
    await super.delete(...rest).catch((error: unknown) => this.note(error));
  }

  override batch(): ReturnType<LevelDatastore["batch"]> {
    const batch = super.batch();
    const commit = async () => {
      try {
        await batch.commit();
      } catch (error) {
        this.note(error);
      }
    };
    return { put: (key, value) => batch.put(key, value), delete: (key) => batch.delete(key), commit };
  }

  /** What libp2p stores later is lost without a word: the node is stopping. */
  override async close(): Promise<void> {
    this.isSilent = true;
    await super.close();
  }

  private note(error: unknown): void {
    if (!this.isSilent) this.onFailure(error);
    this.isSilent = true;
  }
}
