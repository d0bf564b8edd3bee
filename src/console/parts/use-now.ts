import { useEffect, useState } from 'preact/hooks';

/** Interval in milliseconds, short enough to skip no displayed second. */
const everyMs = 500;

/**
 * Returns the time of the device's clock in milliseconds since the epoch. The time does not advance unless `isRunning`
 * is true.
 */
export const useNow = (isRunning: boolean): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
};
