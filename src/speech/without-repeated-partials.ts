import type { EngineEvent } from './recognition-engine.ts';

/**
 * Reports what an engine hears, but partial words only where they change: engines repeat them with every piece of
 * sound. A final without words takes back what the engine thought to hear.
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
