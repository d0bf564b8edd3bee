import type { EngineEvent } from './recognition-engine.ts';

/**
 * Reports partial words only when they change, because engines repeat them with every piece of audio. A final without
 * words retracts the last partial.
 */
export const withoutRepeatedPartials = (report: (event: EngineEvent) => void): typeof report => {
  let last = '';
  return (event) => {
    if (event.type === 'partial' || (event.type === 'final' && event.text === '')) {
      const { text } = event;
      if (text !== last) report({ type: 'partial', text });
      last = text;
      return;
    }
    if (event.type === 'final') last = '';
    report(event);
  };
};
