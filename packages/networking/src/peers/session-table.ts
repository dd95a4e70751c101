import type { PeerId } from "../interface.js";
import type { Session } from "./session.js";

/** The one session of every connected peer. */
export class SessionTable {
  private readonly sessions = new Map<PeerId, Session>();

  get size(): number {
    return this.sessions.size;
  }

  get(id: PeerId): Session | undefined {
    return this.sessions.get(id);
  }

  /** Those that Status was exchanged with. */
  ready(): Session[] {
    return this.all().filter((session) => session.isReady);
  }

  all(): Session[] {
    return [...this.sessions.values()];
  }

  set(session: Session): void {
    this.sessions.set(session.id, session);
  }

  /** Nothing where another session took its place. */
  delete(session: Session): void {
    if (this.sessions.get(session.id) === session) this.sessions.delete(session.id);
  }

  /** Resolves when the peer may speak, or never will. */
  async whenReady(id: PeerId): Promise<boolean> {
    return (await this.sessions.get(id)?.ready) ?? false;
  }
}
