import type { PeerId } from "../../interface.js";
import type { Session } from "./session.js";

/** Sessions by peer, one for each. */
export class SessionTable {
  private readonly sessions = new Map<PeerId, Session>();

  get size(): number {
    return this.sessions.size;
  }

  get(id: PeerId): Session | undefined {
    return this.sessions.get(id);
  }

  /** Sessions whose Status was exchanged. */
  ready(): Session[] {
    return this.all().filter((session) => session.isReady);
  }

  all(): Session[] {
    return [...this.sessions.values()];
  }

  set(session: Session): void {
    this.sessions.set(session.id, session);
  }

  /** Removes a session, unless another one has replaced it. */
  delete(session: Session): void {
    if (this.sessions.get(session.id) === session) this.sessions.delete(session.id);
  }

  /** Resolves with true once Status was exchanged, and with false if the connection ends before. */
  async whenReady(id: PeerId): Promise<boolean> {
    return (await this.sessions.get(id)?.ready) ?? false;
  }
}
