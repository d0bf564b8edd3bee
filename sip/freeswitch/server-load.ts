/** Load of one FreeSWITCH according to its HEARTBEAT events, and whether it leaves room for new calls. */
import type { ServerLoad } from './connection.ts';

export type ServerLoadOptions = {
  /** Percentage of idle CPU below which new calls are refused; 0 for no minimum. */
  minIdleCpu: number;
  /** Returns the number of sessions that this gateway has on the server now, including ready ones. */
  ownSessions: () => number;
  /** Returns the number of sessions that are ready for a call and therefore need no further session. */
  readySessions: () => number;
  /** Called after a heartbeat when refusing begins (with the reason), and when it ends (`null`). */
  onChange: (refusal: string | null) => void;
};

export const createServerLoad = ({ minIdleCpu, ownSessions, readySessions, onChange }: ServerLoadOptions) => {
  let latest: { load: ServerLoad; own: number } | null = null;
  let isRefusing = false;

  /**
   * Returns why the server accepts no calls, as the end of a sentence; `null` if it accepts calls, or before the first
   * heartbeat.
   */
  const refusal = (): string | null => {
    if (latest === null) return null;
    const { sessions, maxSessions, idleCpu } = latest.load;
    // Between heartbeats the number of own sessions is known exactly, and that of other clients is assumed to be
    // unchanged.
    const current = sessions + ownSessions() - latest.own;
    if (maxSessions > 0 && current >= maxSessions && readySessions() === 0)
      return `all of its ${maxSessions} sessions are in use.`;
    if (idleCpu < minIdleCpu)
      return `its machine has ${Math.floor(idleCpu)} % idle CPU, less than GW_FREESWITCH_MIN_IDLE_CPU (${minIdleCpu} %).`;
    return null;
  };

  return {
    refusal,
    /** Returns the latest heartbeat; `null` before the first heartbeat of a connection. */
    current: (): ServerLoad | null => latest?.load ?? null,
    heartbeat(load: ServerLoad): void {
      latest = { load, own: ownSessions() };
      const why = refusal();
      if ((why !== null) === isRefusing) return;
      isRefusing = why !== null;
      onChange(why);
    },
    /** Must be called when the connection is lost, because the load is then unknown. */
    forget(): void {
      latest = null;
      isRefusing = false;
    },
  };
};
