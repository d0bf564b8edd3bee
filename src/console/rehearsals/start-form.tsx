/** Form that starts a run of a suite. */
import { useEffect, useRef } from 'preact/hooks';
import { startRehearsal } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { rehearsalWords } from '../language/rehearsal-words.ts';
import { AreaField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm, wrongField, type Form } from '../parts/form.ts';
import { OpenFile } from '../parts/open-file.tsx';
import { Card } from '../parts/page.tsx';
import { go, linkTo } from '../shown-page.ts';
import { includedSuite, includedSuites } from './included-suites.ts';

const own = '';

const countIn = (field: string, text: string): number => {
  if (!/^[1-9]\d{0,2}$/.test(text.trim())) throw wrongField(field, 'Enter a whole number.');
  return Number(text);
};

const suiteName = (file: string): string => {
  const { suites } = rehearsalWords.value;
  return Object.entries(suites).find(([name]) => name === file)?.[1] ?? file;
};

type Values = {
  chosen: string;
  name: string;
  suite: string;
  number: string;
  repeat: string;
  parallel: string;
};

/** Whether a problem begins with line and column. Others are those of every form. */
const isPlaced = (problem: string): boolean => /^\d+:\d+: /.test(problem);

/** Fills in the chosen included suite, unless somebody types before the suite has been loaded. */
const useChosenSuite = ({ values: { chosen, suite }, set }: Form<Values>): void => {
  const shown = useRef(suite);
  shown.current = suite;
  const filledIn = useRef(suite);
  useEffect(() => {
    let isChosen = true;
    const fillIn = async (): Promise<void> => {
      const before = shown.current;
      const text = await includedSuite(chosen);
      const isTyped = shown.current !== before && shown.current !== filledIn.current;
      if (!isChosen || isTyped) return;
      filledIn.current = text;
      set('suite', text);
      set('name', chosen);
    };
    if (chosen !== own) void fillIn();
    return () => {
      isChosen = false;
    };
  }, [chosen]);
};

export const StartForm = ({ numbers }: { numbers: readonly PhoneNumber[] }) => {
  const t = rehearsalWords.value;
  const form = useForm<Values>(
    {
      chosen: includedSuites[0] ?? own,
      name: '',
      suite: '',
      number: numbers[0]?.number ?? '',
      repeat: '1',
      parallel: '4',
    },
    async ({ name, suite, number, repeat, parallel }) => {
      if (suite.trim() === '') throw wrongField('suite', 'This is required.');
      const run = await startRehearsal({
        suite,
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        number,
        repeat: countIn('repeat', repeat),
        parallel: countIn('parallel', parallel),
      });
      go(linkTo('rehearsals', run.id));
    },
    { isStored: false },
  );
  useChosenSuite(form);
  const { set } = form;
  const problem = form.errorOf('suite') ?? '';
  return (
    <Card title={t.start} lead={t.startHint}>
      <FormBody
        form={form}
        submit={t.submit}
        saved={null}
        beside={
          <OpenFile
            label={t.open}
            accept=".yaml,.yml"
            onOpen={async (file) => {
              const text = await file.text();
              set('chosen', own);
              set('name', file.name);
              set('suite', text);
            }}
          />
        }
      >
        <div class="columns">
          <SelectField
            form={form}
            name="chosen"
            label={t.suite}
            options={[
              ...includedSuites.map((name): [string, string] => [name, suiteName(name)]),
              [own, t.own],
            ]}
          />
          <SelectField
            form={form}
            name="number"
            label={t.number}
            options={numbers.map(({ number }): [string, string] => [number, number])}
          />
          <TextField form={form} name="name" label={t.name} hint={t.nameHint} />
          <TextField form={form} name="repeat" mode="numeric" label={t.repeat} hint={t.repeatHint} />
          <TextField form={form} name="parallel" mode="numeric" label={t.parallel} />
        </div>
        <AreaField
          form={form}
          name="suite"
          rows={10}
          label={t.yaml}
          hint={t.yamlHint}
          {...(isPlaced(problem) ? { errors: explain(problem, t.suiteProblems) } : {})}
        />
      </FormBody>
    </Card>
  );
};
