/** Charts of a call, outermost first (machines/charts.md). */
export const chartNames = ['call', 'conversation', 'voicemail'] as const;

export type ChartName = (typeof chartNames)[number];
