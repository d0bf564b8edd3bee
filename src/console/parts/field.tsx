/** Form fields, each with its label, hint and error. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { mayChange } from '../session.ts';
import { GatewayButton } from './action.tsx';
import type { FieldsOf, Form, FormValues } from './form.ts';

export type FieldProps = {
  form: FieldsOf<FormValues>;
  name: string;
  label: string;
  hint?: string | undefined;
  isOptional?: boolean;
};

type ControlProps = { id: string; name: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' };

const Field = ({
  form,
  name,
  label,
  hint,
  isOptional,
  errors,
  children,
}: FieldProps & {
  /** Content that replaces the text of the error. */
  errors?: ComponentChildren;
  children: (control: ControlProps) => JSX.Element;
}) => {
  const id = useId();
  const words = form.errorOf(name);
  const told = words !== undefined && (errors ?? explain(words, texts.value.sayings));
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(words === undefined ? [] : [`${id}-error`]),
  ].join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional === true && <span class="optional"> {texts.value.shell.form.optional}</span>}
      </label>
      {children({
        id,
        name,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(words === undefined ? {} : { 'aria-invalid': 'true' }),
      })}
      {words !== undefined && (
        <p class="error" id={`${id}-error`}>
          {told}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

const textOf = ({ values }: FieldProps['form'], name: string): string => {
  const value = values[name];
  return typeof value === 'string' ? value : '';
};

export const TextField = ({
  type = 'text',
  mode,
  autoComplete = 'off',
  placeholder,
  suggestions = [],
  ...field
}: FieldProps & {
  type?: 'text' | 'password';
  mode?: 'numeric' | 'tel' | 'url';
  autoComplete?: string;
  placeholder?: string;
  /** Suggested values; other values may be typed. */
  suggestions?: readonly string[];
}) => (
  <Field {...field}>
    {(control) => {
      const list = suggestions.length === 0 ? undefined : `${control.id}-list`;
      const shared = {
        ...control,
        inputMode: mode ?? 'text',
        autocomplete: autoComplete,
        placeholder: placeholder ?? '',
        spellcheck: false,
        value: textOf(field.form, field.name),
        onInput: (event: { currentTarget: HTMLInputElement }) =>
          field.form.set(field.name, event.currentTarget.value),
      };
      if (type === 'password') return <input {...shared} type="password" />;
      return (
        <>
          <input {...shared} type="text" list={list} />
          {list !== undefined && (
            <datalist id={list}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      );
    }}
  </Field>
);

/** Field for the URL of a customer's server. */
export const UrlField = (field: FieldProps) => <TextField {...field} mode="url" placeholder="https://" />;

type AreaProps = FieldProps & { rows?: number; placeholder?: string; errors?: ComponentChildren };

export const AreaField = ({ rows = 3, placeholder = '', ...field }: AreaProps) => (
  <Field {...field}>
    {(control) => (
      <textarea
        {...control}
        rows={rows}
        placeholder={placeholder}
        value={textOf(field.form, field.name)}
        onInput={(event) => field.form.set(field.name, event.currentTarget.value)}
      />
    )}
  </Field>
);

export const SelectField = ({ options, ...field }: FieldProps & { options: [string, string][] }) => (
  <Field {...field}>
    {(control) => (
      <select
        {...control}
        value={textOf(field.form, field.name)}
        onChange={(event) => field.form.set(field.name, event.currentTarget.value)}
      >
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

export const CheckField = ({ form, name, label }: FieldProps) => (
  <label class="check">
    <input
      type="checkbox"
      name={name}
      checked={form.values[name] === true}
      onChange={(event) => form.set(name, event.currentTarget.checked)}
    />
    {label}
  </label>
);

export type Choice = { value: string; label: string; hint?: string };

export const ChoiceField = ({ form, name, label, choices }: FieldProps & { choices: Choice[] }) => (
  <fieldset class="choices">
    <legend>{label}</legend>
    {choices.map((choice) => (
      <label key={choice.value} class="choice">
        <input
          type="radio"
          name={name}
          value={choice.value}
          checked={form.values[name] === choice.value}
          onChange={() => form.set(name, choice.value)}
        />
        <span>
          <b>{choice.label}</b>
          {choice.hint !== undefined && <small>{choice.hint}</small>}
        </span>
      </label>
    ))}
  </fieldset>
);

/** A form with its submit button and, below the button, the result. */
export const FormBody = <Values extends FormValues>({
  form,
  submit,
  saved,
  look = 'primary',
  isForAll = false,
  isOff = false,
  children,
  beside,
}: {
  form: Form<Values>;
  submit: string;
  /** Text after success; `null` if the page shows the result itself. */
  saved?: string | null;
  look?: 'primary' | 'danger';
  /** Whether the form is read-only, so that viewers can use it too. */
  isForAll?: boolean;
  /** Whether the button does nothing yet, because a value of the form is still being loaded. */
  isOff?: boolean;
  children: ComponentChildren;
  beside?: ComponentChildren;
}) => {
  const isUsable = isForAll || mayChange.value;
  const t = texts.value.shell.form;
  const { trouble } = form;
  // The only field of a form has the focus and shows its error itself.
  const isSaid = trouble?.words === undefined && Object.keys(form.values).length === 1;
  const words = trouble?.words ?? (isSaid ? '' : t.failed(trouble?.fields ?? 0));
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate>
      <fieldset class="fields" disabled={!isUsable}>
        {children}
      </fieldset>
      {isUsable && (
        <div class="submit">
          <GatewayButton class={look} type="submit" isOff={form.isBusy || isOff}>
            {submit}
          </GatewayButton>
          {beside}
          <p role="status" class={trouble === undefined ? 'fine' : 'error'}>
            {trouble !== undefined &&
              (trouble.isUnreachable ? t.unreachable : explain(words, texts.value.sayings))}
            {form.isSaved && saved !== null && (saved ?? t.saved)}
          </p>
        </div>
      )}
    </form>
  );
};
