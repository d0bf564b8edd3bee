/** Two calls side by side, replayed in step: stored ones, or files that another gateway may have exported. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Problem, Unreachable } from '../api/request.ts';
import { align, alone, shownAt } from '../compare/align.ts';
import { loadCall } from '../compare/load-call.ts';
import type { LoadedCall } from '../compare/loaded-call.ts';
import { OpenCall } from '../compare/open-call.tsx';
import { ReplayedCall } from '../compare/replayed-call.tsx';
import { Transport } from '../compare/transport.tsx';
import { texts } from '../language/language.ts';
import { Page } from '../parts/page.tsx';
import { linkToCalls, route, setQueries } from '../shown-page.ts';

const sides = ['one', 'other'] as const;

type Side = (typeof sides)[number];

/** Reads the stored call that the address names; a file takes its place. */
const useSide = (side: Side) => {
  const id = route.value.query.get(side) ?? '';
  const [loaded, setLoaded] = useState<LoadedCall | null>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    if (id === '') return undefined;
    const over = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const call = await loadCall(id);
        if (!over.signal.aborted) setLoaded(call);
      } catch (error) {
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        if (!over.signal.aborted) setMissing(true);
      }
    };
    setMissing(false);
    void load();
    return () => over.abort();
  }, [id]);
  return {
    side,
    loaded,
    isMissing,
    open(file: LoadedCall) {
      setQueries({ [side]: '' });
      setMissing(false);
      setLoaded(file);
    },
    choose: (stored: string) => setQueries({ [side]: stored }),
    close() {
      setQueries({ [side]: '' });
      setLoaded(null);
    },
  };
};

/** Refuses files that are dropped beside a place for them: the browser would open them instead of the console. */
const refuseStrayFiles = (event: DragEvent): void => {
  if (event.defaultPrevented) return;
  event.preventDefault();
  if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
};

export const ComparePage = () => {
  const t = texts.value.compare;
  useEffect(() => {
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, refuseStrayFiles);
    return () => {
      for (const type of ['dragover', 'drop'] as const) removeEventListener(type, refuseStrayFiles);
    };
  }, []);
  const [one, other] = [useSide('one'), useSide('other')];
  const [index, setIndex] = useState(0);
  const both = [one, other];
  const calls = useMemo(
    () => [one.loaded, other.loaded].filter((loaded) => loaded !== null),
    [one.loaded, other.loaded],
  );
  useEffect(() => setIndex(0), [calls]);
  const [first, second] = calls;
  const alignment = useMemo(
    () => (second === undefined ? alone(first?.steps ?? []) : align(first?.steps ?? [], second.steps)),
    [calls],
  );
  const names = both.flatMap(({ side, loaded }) => (loaded === null ? [] : [t.side[side]]));
  return (
    <Page title={t.title} lead={t.lead} back={{ to: linkToCalls(), label: texts.value.shell.nav.calls }}>
      {first !== undefined && (
        <Transport calls={calls} names={names} index={index} alignment={alignment} move={setIndex} />
      )}
      <div class="comparison">
        {both.map(({ side, loaded, isMissing, open, choose, close }) =>
          loaded === null ? (
            <div key={side}>
              {isMissing && (
                <p class="error" role="alert">
                  {t.missing}
                </p>
              )}
              <OpenCall title={t.side[side]} onFile={open} onStored={choose} />
            </div>
          ) : (
            <ReplayedCall
              key={side}
              title={t.side[side]}
              loaded={loaded}
              shown={shownAt(alignment.rows, calls.indexOf(loaded), index)}
              onClose={close}
            />
          ),
        )}
      </div>
    </Page>
  );
};
