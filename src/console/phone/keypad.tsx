import { texts } from '../language/language.ts';
import { send } from './phone-connection.ts';

export const Keypad = () => (
  <div class="keypad" role="group" aria-label={texts.value.phone.keypad}>
    {Array.from('123456789*0#').map((digit) => (
      <button
        key={digit}
        type="button"
        aria-label={texts.value.phone.key(digit)}
        onClick={() => send({ type: 'digit', digit })}
      >
        {digit}
      </button>
    ))}
  </div>
);
