import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { root, runCommand } from "../stack/process.ts";
import { compare, type Part, shown } from "./figure.ts";

const rows = 100_000;

/** The other files of a load, which hold nothing: people and categories are there already. */
const empty = {
  teams: "id,name",
  members: "id,name,email,role,team_id,created_at",
  categories: "id,language,name",
  day_ratings: "id,rating,comment,team_id,points_awarded,created_at",
  pulse_questions: "id,question,response_type",
  pulse_responses: "id,question_id,value,comment,created_at",
};

/** A company with the people and categories of the largest one, and no kudos. */
const newCompany = (id: string) => `
  insert into app.companies (id, name) values ('${id}', 'Loading');
  insert into app.members (company_id, id, name, email) select '${id}', id, name, email from app.members
  where company_id = bench.id(1, 'company', 0);
  insert into app.categories (company_id, id) select '${id}', id from app.categories where company_id = bench.id(1, 'company', 0);
  analyze app.members, app.categories;`;

/** What loading a file costs beside PostgreSQL's own COPY of the same file into the same table, with its indexes and foreign keys. */
export const loading: Part = {
  name: "loading",
  title: "sql/load.sql beside a bare COPY of the same kudos into the same table",
  async measure({ database, folder, progress }) {
    const { url, superuser } = await database();
    const psql = (...args: string[]) => runCommand("psql", [url, "--quiet", "--set=ON_ERROR_STOP=1", ...args]);
    const columns = "id, sender_id, receiver_id, category_id, message, created_at";
    for (const [file, header] of Object.entries(empty)) await writeFile(`${folder}/${file}.csv`, `${header}\n`);
    const exported = columns.replace("created_at", "app.iso_8601(created_at) as created_at");
    const rowsOfLargest = `select ${exported} from app.kudos where company_id = bench.id(1, 'company', 0) limit ${rows}`;
    await psql("--command", `\\copy (${rowsOfLargest}) to '${folder}/kudos.csv' with (format csv, header)`);

    /** Seconds that it takes until the rows are there, in a company of their own; they are gone afterwards. */
    const timed = async (load: (company: string) => string[]): Promise<number> => {
      const company = randomUUID();
      await superuser.unsafe(newCompany(company)).simple();
      const begin = performance.now();
      await psql(...load(company));
      const seconds = (performance.now() - begin) / 1000;
      const [found] = await superuser`select count(*)::int as rows from app.kudos where company_id = ${company}`;
      if (found?.rows !== rows) throw new Error(`${found?.rows} of ${rows} kudos have come in`);
      await superuser`delete from app.companies where id = ${company}`;
      await superuser`vacuum app.members, app.categories, app.kudos`;
      return seconds;
    };
    progress(`${rows} kudos`);
    const { rounds, own } = await compare(
      3,
      () =>
        timed((company) => [
          `--set=company_id=${company}`,
          "--command",
          `\\cd ${folder}`,
          "--file",
          `${root}/sql/load.sql`,
        ]),
      // The file has no column for the company: its value comes from a default, which only this session sees.
      () =>
        timed((company) => [
          ...["--single-transaction", "--command", `alter table app.kudos alter company_id set default '${company}'`],
          ...["--command", `\\copy app.kudos (${columns}) from '${folder}/kudos.csv' with (format csv, header)`],
          ...["--command", "alter table app.kudos alter company_id drop default"],
        ]),
    );
    const [name, note] = [`${rows.toLocaleString("en-US")} kudos`, `${shown(rows / own)} kudos a second`];
    return [{ name, rounds, unit: "times the bare COPY's time", target: { atMost: 4 }, note }];
  },
};
