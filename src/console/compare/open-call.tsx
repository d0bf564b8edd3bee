/** Chooses a call: a file by drag and drop or by a file picker, or one of the newest stored calls. */
import { useId, useState } from 'preact/hooks';
import { listCalls } from '../api.ts';
import type { CallListItem } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CallState, counterpartyOf, DirectionMark } from '../parts/call-words.tsx';
import { OpenFile } from '../parts/open-file.tsx';
import { When } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import type { LoadedCall } from './loaded-call.ts';
import { isProblem, mostFileBytes, readCallFile, type FileProblem } from './read-call-file.ts';

const offered = 20;

const words = (problem: FileProblem): string => {
  const t = texts.value.compare.problem;
  return problem.is === 'wrong_field' ? t.wrong_field(problem.field) : t[problem.is];
};

const openFile = async (file: File): Promise<LoadedCall | FileProblem> =>
  file.size > mostFileBytes ? { is: 'too_large' } : readCallFile(await file.text(), file.name);

export const OpenCall = ({
  title,
  onFile,
  onStored,
}: {
  title: string;
  onFile: (call: LoadedCall) => void;
  onStored: (id: string) => void;
}) => {
  const t = texts.value.compare;
  const id = useId();
  const [problem, setProblem] = useState<{ name: string; is: FileProblem }>();
  const [isOver, setOver] = useState(false);
  const calls: readonly CallListItem[] =
    usePolled('compare', async () => (await listCalls({ limit: offered })).calls).value ?? [];
  const take = async (file: File | undefined): Promise<void> => {
    setOver(false);
    if (file === undefined) return;
    const read = await openFile(file);
    if (isProblem(read)) setProblem({ name: file.name, is: read });
    else onFile(read);
  };
  return (
    <section
      class={isOver ? 'card open-call over' : 'card open-call'}
      aria-labelledby={`${id}-title`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <div class="drop">
        <OpenFile
          label={t.file}
          accept=".json,application/json,application/vnd.trunkline.call+json"
          onOpen={take}
        />
        <p class="hint">{t.drop}</p>
      </div>
      <p class="error" role="alert">
        {problem !== undefined && `${problem.name}: ${words(problem.is)}`}
      </p>
      {calls.length > 0 && (
        <>
          <h3>{t.newest}</h3>
          <ul class="rows">
            {calls.map((call) => (
              <li key={call.id}>
                <button type="button" class="row" onClick={() => onStored(call.id)}>
                  <DirectionMark direction={call.direction} />
                  <span class="digits">{counterpartyOf(call)}</span>
                  <When at={call.started_at} />
                  <CallState call={call} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
};
