import { LevelDatastore } from "datastore-level";

type Put = LevelDatastore["put"];
type Delete = LevelDatastore["delete"];

/**
 * The addresses of known peers on disk. Failures to write are ignored: libp2p would otherwise reject the action that
 * stores them, such as a connection or its own shutdown.
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

  /** The node is stopping: later writes of libp2p are dropped silently. */
  override async close(): Promise<void> {
    this.isSilent = true;
    await super.close();
  }

  private note(error: unknown): void {
    if (!this.isSilent) this.onFailure(error);
    this.isSilent = true;
  }
}
