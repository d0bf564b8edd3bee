/** Keeps a connection from being taken for dead: says something in each interval in which nothing else was said. */
import type { Clock } from '#src/domain/clock.ts';

export type KeepAlive = {
  begin(): void;
  /** Something else was said. */
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
