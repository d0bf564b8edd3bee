/** Load of one FreeSWITCH according to its HEARTBEAT events, and whether it leaves room for new calls. */
import type { ServerLoad } from './connection.ts';

export type ServerLoadOptions = {
  /** Percentage of idle CPU below which new calls are refused; 0 for no minimum. */
  minIdleCpu: number;
  /** Sessions that this gateway has there now, ready ones included. */
  ownSessions: () => number;
  /** Sessions that are ready for a call, which then needs no further one. */
  readySessions: () => number;
  /** Called after a heartbeat when refusing begins (with the reason) or ends (`null`). */
  onChange: (refusal: string | null) => void;
};

export const createServerLoad = ({ minIdleCpu, ownSessions, readySessions, onChange }: ServerLoadOptions) => {
  let latest: { load: ServerLoad; own: number } | null = null;
  let isRefusing = false;

  /** Why the server takes no calls, as the end of a sentence; `null` if it takes some, or before the first heartbeat. */
  const refusal = (): string | null => {
    if (latest === null) return null;
    const { sessions, maxSessions, idleCpu } = latest.load;
    // Between heartbeats the own sessions are known exactly; those of other clients are assumed to be unchanged.
    const current = sessions + ownSessions() - latest.own;
    if (maxSessions > 0 && current >= maxSessions && readySessions() === 0)
      return `all of its ${maxSessions} sessions are in use.`;
    if (idleCpu < minIdleCpu)
      return `its machine has ${Math.floor(idleCpu)} % idle CPU, less than GW_FREESWITCH_MIN_IDLE_CPU (${minIdleCpu} %).`;
    return null;
  };

  return {
    refusal,
    /** The latest heartbeat; `null` before the first one of a connection. */
    current: (): ServerLoad | null => latest?.load ?? null,
    heartbeat(load: ServerLoad): void {
      latest = { load, own: ownSessions() };
      const why = refusal();
      if ((why !== null) === isRefusing) return;
      isRefusing = why !== null;
      onChange(why);
    },
    /** Call when the connection is lost: the load is then unknown. */
    forget(): void {
      latest = null;
      isRefusing = false;
    },
  };
};
