/** Work of which one run is enough for all who wanted it while another run was under way. */
export type CoalescedTask = {
  /** Does the work; where it is under way, does it once more behind that. Resolves when nothing is wanted any more. */
  run(): Promise<void>;
  /** Begins no further run, and waits for the one under way. */
  close(): Promise<void>;
};

/** `work` must not reject. */
export const createCoalescedTask = (work: () => Promise<void>): CoalescedTask => {
  let state: 'resting' | 'wanted' | 'working' | 'closed' = 'resting';
  let runs: Promise<void> = Promise.resolve();

  /** Whether there is something to do now. */
  const begin = (): boolean => {
    if (state === 'wanted') {
      state = 'working';
      return true;
    }
    if (state === 'working') state = 'resting';
    return false;
  };

  const workWhileWanted = async (): Promise<void> => {
    while (begin()) await work();
  };

  return {
    run() {
      if (state === 'resting') {
        state = 'wanted';
        runs = workWhileWanted();
      } else if (state === 'working') state = 'wanted';
      return runs;
    },
    close() {
      state = 'closed';
      return runs;
    },
  };
};
