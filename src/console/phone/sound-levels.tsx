import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { callSound } from './call-sound.ts';
import type { SoundDevice } from './sound-device.ts';

/** Inaudible below this level. The meters use decibels, like human hearing. */
const quietestDb = -60;

const meterValue = (level: number): number =>
  Math.max(0, Math.min(1, 1 - (20 * Math.log10(level + Number.EPSILON)) / quietestDb));

/** Levels of both sides: show that the user is heard and that the agent speaks. */
export const SoundLevels = () => {
  const { value } = callSound;
  return value.is === 'on' ? <Levels device={value.device} /> : null;
};

const Levels = ({ device }: { device: SoundDevice }) => {
  const t = texts.value.phone;
  const microphone = useRef<HTMLMeterElement>(null);
  const speaker = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    let frame = 0;
    const show = (): void => {
      const levels = device.levels();
      if (microphone.current !== null) microphone.current.value = meterValue(levels.microphone);
      if (speaker.current !== null) speaker.current.value = meterValue(levels.speaker);
      frame = requestAnimationFrame(show);
    };
    show();
    return () => cancelAnimationFrame(frame);
  }, [device]);
  return (
    <div class="sound-levels">
      <span aria-hidden="true">{t.me}</span>
      <meter ref={microphone} aria-label={t.microphoneLevel} min={0} max={1} />
      <span aria-hidden="true">{t.agent}</span>
      <meter ref={speaker} aria-label={t.speakerLevel} min={0} max={1} />
    </div>
  );
};
