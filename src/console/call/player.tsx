/** Player of a finished call, for both its recording and the steps of its charts. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { placeTime } from '../parts/when.tsx';
import type { Playback } from './playback.ts';
import { Scrubber } from './scrubber.tsx';
import { getRecording } from '../api.ts';
import { Problem, Unreachable } from '../api/request.ts';
import { waveformOf, type Waveform } from './waveform.ts';

/** Loaded recording of a call. `waveform` is null if this browser cannot decode the recording. */
type LoadedRecording = { url: string; name: string; waveform: Waveform | null };

type Recording = LoadedRecording | 'none' | 'loading' | 'failed';

const load = async (callId: string): Promise<LoadedRecording> => {
  const bytes = await getRecording(callId);
  const waveform = await waveformOf(bytes).catch(() => null);
  return { url: URL.createObjectURL(new Blob([bytes])), name: `${callId}.ogg`, waveform };
};

const useRecording = ({ id, recording: { status } }: Call): Recording => {
  const isThere = status === 'completed';
  const [loaded, setLoaded] = useState<LoadedRecording | 'failed'>();
  useEffect(() => {
    if (!isThere) return undefined;
    let made: LoadedRecording | undefined;
    const over = new AbortController();
    const loadNow = async (): Promise<void> => {
      try {
        made = await load(id);
        if (over.signal.aborted) URL.revokeObjectURL(made.url);
        else setLoaded(made);
      } catch (error) {
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        setLoaded('failed');
      }
    };
    void loadNow();
    return () => {
      over.abort();
      if (made !== undefined) URL.revokeObjectURL(made.url);
    };
  }, [id, isThere]);
  if (isThere) return loaded ?? 'loading';
  return status === 'failed' ? 'failed' : 'none';
};

export const Player = ({ call, playback }: { call: Call; playback: Playback }) => {
  const t = texts.value.calls.one;
  const recording = useRecording(call);
  if (recording === 'none' && playback.steps.length === 0) return null;
  const { status, truncated } = call.recording;
  const loaded = typeof recording === 'object' ? recording : undefined;
  return (
    <Card title={status === 'completed' ? t.recording : texts.value.replay.title}>
      {recording === 'loading' && <p class="hint sound-awaited">{texts.value.shell.loading}</p>}
      {recording === 'failed' && <p class="error">{t.recordingStatus.failed}</p>}
      {status === 'pending' && <p class="hint">{t.recordingStatus.pending}</p>}
      {truncated && <p class="hint">{t.truncated}</p>}
      {loaded?.waveform === null && <p class="hint">{t.unplayable}</p>}
      {recording !== 'loading' && <Controls recording={recording} playback={playback} />}
    </Card>
  );
};

const Controls = ({ recording, playback }: { recording: Recording; playback: Playback }) => {
  const loaded = typeof recording === 'object' ? recording : undefined;
  const waveform = loaded?.waveform ?? null;
  return (
    <div class="player" role="group" aria-label={texts.value.replay.title}>
      {loaded !== undefined && waveform !== null && <Sound url={loaded.url} playback={playback} />}
      <Scrubber playback={playback} waveform={waveform} />
      <div class="transport">
        <PlayButton playback={playback} />
        {playback.steps.length > 1 && <StepButtons playback={playback} />}
        <span class="digits">
          {placeTime(playback.shown.value)} / {placeTime(playback.to)}
        </span>
        {loaded !== undefined && <Download {...loaded} />}
      </div>
    </div>
  );
};

const Download = ({ url, name }: LoadedRecording) => (
  <a class="button" href={url} download={name}>
    {texts.value.calls.one.download}
  </a>
);

const Sound = ({ url, playback }: { url: string; playback: Playback }) => {
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => (audio.current === null ? undefined : playback.hear(audio.current)), [playback, url]);
  return <audio ref={audio} src={url} preload="metadata" />;
};

const PlayButton = ({ playback }: { playback: Playback }) => {
  const t = texts.value.calls.one;
  const isPlaying = playback.isPlaying.value;
  return (
    <button
      type="button"
      class="play"
      aria-label={isPlaying ? t.pause : t.play}
      onClick={() => (isPlaying ? playback.pause() : playback.play())}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={isPlaying ? 'M8 5h3v14H8zM14 5h3v14h-3z' : 'M8 5l11 7-11 7z'} />
      </svg>
    </button>
  );
};

const StepButtons = ({ playback }: { playback: Playback }) => {
  const t = texts.value.replay;
  const index = playback.index.value;
  return (
    <span class="step-buttons">
      <StepButton
        label={t.back}
        path="M7 5v14M18 5l-8 7 8 7z"
        isOff={index === 0}
        act={() => playback.stepTo(index - 1)}
      />
      <StepButton
        label={t.forward}
        path="M17 5v14M6 5l8 7-8 7z"
        isOff={index === playback.steps.length - 1}
        act={() => playback.stepTo(index + 1)}
      />
    </span>
  );
};

type StepButtonProps = { label: string; path: string; isOff: boolean; act: () => void };

const StepButton = ({ label, path, isOff, act }: StepButtonProps) => (
  // The button is not `disabled`, because it would lose the focus at the last step.
  <button
    type="button"
    class="step-button"
    aria-label={label}
    aria-disabled={isOff}
    onClick={() => !isOff && act()}
  >
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  </button>
);
