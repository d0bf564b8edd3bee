/**
 * The agent's voice of a call whose audio may move: samples that were not played at one place are played at the next.
 */
import type { SoundPath } from './media-endpoint.ts';

export type MovablePath = SoundPath & {
  /** Moves unplayed and future samples there. The previous path stays open. */
  moveTo(next: SoundPath): void;
};

type Sent = { samples: Int16Array } | { onPlayed: () => void };

const lengthOf = (one: Sent): number => ('samples' in one ? one.samples.length : 0);

export const createMovablePath = (first: SoundPath): MovablePath => {
  let current = first;
  /** In order, from the first samples that may not have been played. */
  let sent: Sent[] = [];

  /** Number of samples at the beginning of `sent` that have been played, if this many are left. */
  const playedOf = (unplayed: number): number => sent.reduce((sum, one) => sum + lengthOf(one), -unplayed);

  const forgetPlayed = (): void => {
    let played = playedOf(current.waiting());
    sent = sent.filter((one) => {
      if (!('samples' in one) || one.samples.length > played) {
        if ('samples' in one) played = 0;
        return true;
      }
      played -= one.samples.length;
      return false;
    });
  };

  const pass = (one: Sent): void => {
    if ('samples' in one) current.send(one.samples);
    else current.whenPlayed(one.onPlayed);
  };

  const add = (one: Sent): void => {
    forgetPlayed();
    sent.push(one);
    pass(one);
  };

  return {
    send: (samples) => add({ samples }),
    whenPlayed(callback) {
      const one: Sent = {
        onPlayed() {
          sent = sent.filter((other) => other !== one);
          callback();
        },
      };
      add(one);
    },
    waiting: () => current.waiting(),
    takeBack() {
      sent = [];
      return current.takeBack();
    },
    close: () => current.close(),
    moveTo(next) {
      let played = playedOf(current.takeBack());
      const moving = sent.flatMap((one): Sent[] => {
        if (!('samples' in one)) return [one];
        const rest = one.samples.subarray(Math.min(played, one.samples.length));
        played -= one.samples.length - rest.length;
        return rest.length === 0 ? [] : [{ samples: rest }];
      });
      current = next;
      sent = moving;
      for (const one of moving) pass(one);
    },
  };
};
