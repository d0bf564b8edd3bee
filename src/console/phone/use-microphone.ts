import { useEffect, useState } from 'preact/hooks';
import { send } from './phone-connection.ts';
import { listen, mayInterrupt } from './ear.ts';

export type Microphone = {
  isOn: boolean;
  /** Whether the microphone was refused or is absent. */
  hasFailed: boolean;
  toggle(): void;
};

/** Sends recognized speech to the call while both the microphone and the call are active. */
export const useMicrophone = (language: string, isInCall: boolean): Microphone => {
  const [state, setState] = useState<'off' | 'on' | 'failed'>('off');
  const isOn = state === 'on';
  useEffect(() => {
    if (!isOn || !isInCall) return undefined;
    return listen(language, {
      begun(words) {
        if (mayInterrupt(words, language)) send({ type: 'speaking', on: true });
      },
      said: (text) => send({ type: 'say', text }),
      failed: () => setState('failed'),
    });
  }, [isOn, isInCall]);
  return { isOn, hasFailed: state === 'failed', toggle: () => setState(isOn ? 'off' : 'on') };
};
