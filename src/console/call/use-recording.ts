import { useEffect, useState } from 'preact/hooks';
import { getRecording } from '../api.ts';
import { Problem, Unreachable } from '../api/request.ts';
import type { Call } from '../api/records.ts';
import { waveformOf, type Waveform } from './waveform.ts';

/** Loaded recording of a call. `waveform` is null if this browser cannot decode it. */
export type LoadedRecording = { url: string; name: string; waveform: Waveform | null };

export type Recording = LoadedRecording | 'none' | 'loading' | 'failed';

const load = async (callId: string): Promise<LoadedRecording> => {
  const bytes = await getRecording(callId);
  const waveform = await waveformOf(bytes).catch(() => null);
  return { url: URL.createObjectURL(new Blob([bytes])), name: `${callId}.ogg`, waveform };
};

export const useRecording = ({ id, recording: { status } }: Call): Recording => {
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
