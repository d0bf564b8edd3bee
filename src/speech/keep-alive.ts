/** Keeps a connection alive: sends a message after each interval without other messages. */
import type { Clock } from '#src/domain/clock.ts';

export type KeepAlive = {
  begin(): void;
  /** Call this when another message was sent. */
  said(): void;
  stop(): void;
};

export const createKeepAlive = (clock: Clock, everyMs: number, say: () => void): KeepAlive => {
  let wasSaid = false;
  let timer: unknown;
  const begin = (): void => {
    timer = clock.setTimeout(() => {
      if (!wasSaid) say();
      wasSaid = false;
      begin();
    }, everyMs);
  };
  return {
    begin,
    said() {
      wasSaid = true;
    },
    stop: () => clock.clearTimeout(timer),
  };
};
