import * as z from 'zod';
import { chartNames } from '#src/domain/chart-name.ts';
import { defineRoute } from '../route.ts';

export const getChart = defineRoute({
  method: 'get',
  path: '/api/v1/admin/charts/{name}',
  operationId: 'getChart',
  tag: 'Workspace',
  summary: 'The picture of a chart',
  description:
    'As SVG without colours. Each state carries `data-state`: its dotted path, as the `state` events of a call name it.',
  auth: 'viewer',
  params: z.object({ name: z.enum(chartNames) }),
  responses: {
    200: {
      description: 'The picture.',
      media: ['image/svg+xml'],
      examples: { 'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg">…</svg>' },
    },
  },
  refusals: [],
}).handledBy(async ({ params }, { charts }) => ({
  status: 200,
  media: 'image/svg+xml',
  headers: { 'Cache-Control': 'private, max-age=3600' },
  body: await charts(params.name),
}));

export const getChartDefinition = defineRoute({
  method: 'get',
  path: '/api/v1/admin/charts/{name}.json',
  operationId: 'getChartDefinition',
  tag: 'Workspace',
  summary: 'The definition of a chart',
  description:
    'As JSON that Stately Studio imports and `createMachine` of XState takes: states, transitions, and the names of actions, guards, delays and actors. What is computed as it runs is left out. `version` is that of the chart.',
  auth: 'viewer',
  params: z.object({ name: z.enum(chartNames) }),
  responses: {
    200: {
      description: 'The definition.',
      media: ['application/json'],
      examples: {
        'application/json': { id: 'call', initial: 'ringing', states: {}, version: '0a1b2c3d4e5f' },
      },
    },
  },
  refusals: [],
}).handledBy(({ params }, { chartDefinitions }) => ({
  status: 200,
  media: 'application/json',
  headers: { 'Cache-Control': 'private, no-cache' },
  body: chartDefinitions(params.name),
}));
