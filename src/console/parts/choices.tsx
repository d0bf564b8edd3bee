/** Buttons of which one is pressed. */
import { GatewayButton } from './action.tsx';

export const Choices = <One extends string | number>({
  label,
  options,
  chosen,
  nameOf,
  choose,
}: {
  label: string;
  options: readonly One[];
  chosen: One;
  nameOf: (one: One) => string;
  choose: (one: One) => void;
}) => (
  <div class="languages" role="group" aria-label={label}>
    {options.map((one) => (
      <GatewayButton key={one} aria-pressed={one === chosen} onClick={() => choose(one)}>
        {nameOf(one)}
      </GatewayButton>
    ))}
  </div>
);
