import { useEffect, useState } from 'preact/hooks';

/** Twice a second, so that no second is passed over. */
const everyMs = 500;

/** The time of this device, in milliseconds since the epoch; it stands still unless `isRunning`. */
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
