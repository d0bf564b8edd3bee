let file = '';

/** The file whose tests are told or run, where files run together in one process; empty where a file runs alone. */
export const runningFile = (): string => file;

export const setRunningFile = (name: string): void => {
  file = name;
};
