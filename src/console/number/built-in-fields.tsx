/** Fields for the built-in agent: its model, its instructions and its tools. An empty field is the gateway's default. */
import { builtInTools, type BuiltInTool } from '#src/domain/agent-binding.ts';
import { listEngines } from '../api.ts';
import type { AgentBinding } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { numberWords } from '../language/number-words.ts';
import { AreaField, CheckField, SelectField } from '../parts/field.tsx';
import { textFields, type FieldsOf, type FormValues } from '../parts/form.ts';
import { usePolled } from '../polled.ts';

type Settings = Pick<AgentBinding, 'model' | 'prompt' | 'tools'>;

const texted = textFields('model', 'prompt');

type ToolValues = Record<`tool_${BuiltInTool}`, boolean>;

/** Values of one checkbox for each tool. */
const toolValues = (tools: Settings['tools']): ToolValues =>
  // The cast restores the key names, which `Object.fromEntries` loses.
  Object.fromEntries(
    builtInTools.map((tool) => [`tool_${tool}`, tools === null || tools.includes(tool)]),
  ) as ToolValues;

export const builtInValues = (settings: Settings | undefined) => ({
  ...texted.of(settings),
  ...toolValues(settings?.tools ?? null),
});

/** Returns the settings of the request. All tools are sent as the default, which includes later ones. */
export const builtInIn = (values: ReturnType<typeof builtInValues>): Settings => {
  const tools = builtInTools.filter((tool) => values[`tool_${tool}`]);
  return { ...texted.in(values), tools: tools.length === builtInTools.length ? null : tools };
};

/** Returns the options. The stored model remains an option after the operator has removed it. */
const modelOptions = ([first, ...others]: readonly string[], stored: string): [string, string][] => {
  const t = numberWords.value.builtIn;
  const isOffered = stored === '' || stored === first || others.includes(stored);
  const { byDefault } = texts.value.shell.form;
  return [
    ['', `${byDefault}: ${first ?? t.noModelYet}`],
    ...others.map((name): [string, string] => [name, name]),
    ...(first === stored ? [[stored, stored] satisfies [string, string]] : []),
    ...(isOffered
      ? []
      : [[stored, texts.value.numbers.policy.notConfigured(stored)] satisfies [string, string]]),
  ];
};

export const BuiltInFields = ({
  form,
  isTrial = false,
}: {
  form: FieldsOf<FormValues>;
  /** Whether the values are tried without being stored. */
  isTrial?: boolean;
}) => {
  const t = numberWords.value.builtIn;
  const engines = usePolled('engines', listEngines).value;
  if (engines === undefined) return null;
  const { language_models: models } = engines;
  const { model = '' } = form.values;
  return (
    <>
      {models.length === 0 && (
        <p class="notice" role="status">
          {t.withoutModel}
        </p>
      )}
      <SelectField
        form={form}
        name="model"
        label={t.model}
        hint={t.modelHint}
        options={modelOptions(models, String(model))}
      />
      <AreaField
        form={form}
        name="prompt"
        rows={6}
        label={t.prompt}
        hint={t.promptHint}
        placeholder={t.promptExample}
        isOptional
      />
      <fieldset class="group">
        <legend>{t.tools}</legend>
        <div class="checks tools">
          {builtInTools.map((tool) => (
            <CheckField key={tool} form={form} name={`tool_${tool}`} label={t.toolNames[tool]} />
          ))}
        </div>
      </fieldset>
      {!isTrial && <p class="hint">{t.kept}</p>}
    </>
  );
};
