/** Form that starts a run of a suite. */
import { useEffect } from 'preact/hooks';
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

/** Fills in a suite and its name. A name that the user has typed stays. */
const fillIn = (form: Form<Values>, { name, suite }: Pick<Values, 'name' | 'suite'>): void =>
  form.fill(form.editedAt('name') === 0 ? { name, suite } : { suite });

/** Fills in the chosen included suite, unless the user types or chooses another one before the suite has been loaded. */
const useChosenSuite = (form: Form<Values>): void => {
  const { chosen } = form.values;
  useEffect(() => {
    const chosenAt = form.editedAt('chosen');
    const load = async (): Promise<void> => {
      const suite = await includedSuite(chosen);
      // A file may have been opened a moment ago, and not be shown yet.
      const isCurrent = form.editedAt('chosen') === chosenAt && form.editedAt('suite') <= chosenAt;
      if (isCurrent) fillIn(form, { name: chosen, suite });
    };
    if (chosen !== own) void load();
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
              form.set('chosen', own);
              fillIn(form, { name: file.name, suite: text });
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
