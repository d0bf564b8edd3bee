/** A task that runs once at a time. Requests during a run are merged into one further run. */
export type CoalescedTask = {
  /** Runs the task. During a run, schedules one further run. Resolves when no run is pending. */
  run(): Promise<void>;
  /** Stops further runs and waits for the current one. */
  close(): Promise<void>;
};

/** Creates a task. `work` must not reject. */
export const createCoalescedTask = (work: () => Promise<void>): CoalescedTask => {
  let state: 'resting' | 'wanted' | 'working' | 'closed' = 'resting';
  let runs: Promise<void> = Promise.resolve();

  /** Begins a run if one was requested; returns whether a run began. */
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
