/** The people of the simulated line, offered by what they do. */
import type { ListedCallee } from '../api/records.ts';
import { texts } from '../language/language.ts';
import type { FieldsOf, FormValues } from '../parts/form.ts';

/** Number without a known callee, so that it rings on the web phones. */
const webPhoneNumber = '01055551234';

/** Maximum number of callees with a script that have a button. The others are suggestions of the field. */
const mostScripts = 12;

const digitsOf = (to: string): string => to.replaceAll('-', '').replaceAll(' ', '');

/** Returns the callee at a number as the user wrote it; undefined for a number that rings on the web phones. */
export const calleeAt = (callees: readonly ListedCallee[], to: string): ListedCallee | undefined =>
  callees.find(({ number }) => number === digitsOf(to));

const CalleeButton = ({
  form,
  number,
  name,
}: {
  form: FieldsOf<FormValues>;
  number: string;
  name: string;
}) => {
  const { to } = form.values;
  return (
    <button
      type="button"
      aria-pressed={typeof to === 'string' && digitsOf(to) === number}
      onClick={() => form.set('to', number)}
    >
      {name}
      <small class="digits">{number}</small>
    </button>
  );
};

export const CalleeButtons = ({
  form,
  callees,
}: {
  form: FieldsOf<FormValues>;
  callees: readonly ListedCallee[];
}) => {
  const t = texts.value.calls.place.callees;
  const scripts = callees.filter(({ behaviour }) => behaviour === 'script').slice(0, mostScripts);
  const known = callees.filter(({ behaviour }) => behaviour !== 'script');
  // In a country where the known callees cannot be called, neither can this number.
  const hasPhone = known.length > 0 && calleeAt(callees, webPhoneNumber) === undefined;
  return (
    <div class="callees" role="group" aria-label={t.label}>
      {[...known, ...scripts].map(({ number, behaviour }) => (
        <CalleeButton key={number} form={form} number={number} name={t.names[behaviour]} />
      ))}
      {hasPhone && <CalleeButton form={form} number={webPhoneNumber} name={t.webPhone} />}
    </div>
  );
};
