import { useEffect, useState } from 'preact/hooks';

/** Twice a second, so that no displayed second is skipped. */
const everyMs = 500;

/** The device's clock, in milliseconds since the epoch; frozen unless `isRunning`. */
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
