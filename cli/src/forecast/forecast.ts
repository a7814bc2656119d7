import { group, type Group } from '../command/command.ts';
import { checkCommand } from './check.ts';
import { keyCommand } from './key.ts';
import { makeCommand, sealCommand } from './make.ts';
import { standingCommand } from './standing.ts';

export const forecastCommand: Group = group({
  name: 'forecast',
  summary: 'Forecast the next number of an index, and check that it counted.',
  about:
    'Makes forecasts in the Arena of a log. What is forecast is sealed on this machine, signed with a key of the handle, and receipted by the server.',
  commands: [keyCommand, makeCommand, sealCommand, checkCommand, standingCommand],
});
