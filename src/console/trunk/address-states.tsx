import type { Trunk } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { language, texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { Pill, trunkTones } from '../parts/pill.tsx';

/** State of each address of a trunk. */
export const AddressStates = ({ trunk: { address_states: states } }: { trunk: Trunk }) => {
  const t = texts.value.trunks;
  if (states.length === 0) return null;
  return (
    <Card title={t.fields.addresses}>
      <ul class="rows" aria-label={t.fields.addresses}>
        {states.map(({ address, state, detail, channels_in_use: channels }) => (
          <li key={address} class="row">
            <span class="row-main">
              <b>{address}</b>
              <small>{detail === null ? t.channels(channels) : explain(detail, language.value)}</small>
            </span>
            <Pill tone={trunkTones[state]}>{t.state[state]}</Pill>
          </li>
        ))}
      </ul>
    </Card>
  );
};
