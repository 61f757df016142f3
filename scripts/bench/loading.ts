import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { root, runCommand, withoutPassword } from "../stack/process.ts";
import { compare, type Part, shown } from "./figure.ts";

/** A company with the people and categories of the largest one, and no kudos. */
const company = randomUUID();
const createCompany = `
  insert into app.companies (id, name) values ('${company}', 'Loading');
  insert into app.members (company_id, id, name, email) select '${company}', id, name, email from app.members
  where company_id = bench.id(1, 'company', 0);
  insert into app.categories (company_id, id) select '${company}', id from app.categories
  where company_id = bench.id(1, 'company', 0);
  analyze app.members, app.categories;`;

/** The kudos of all companies in a table without the column, the index and the triggers for changes. */
const createKudosBefore = `
  create table bench.kudos_before (like app.kudos including all);
  alter table bench.kudos_before
    drop column changed_in, drop column sender_team_then_id, drop column receiver_team_then_id,
    add foreign key (company_id) references app.companies (id),
    add foreign key (company_id, sender_id) references app.members (company_id, id),
    add foreign key (company_id, receiver_id) references app.members (company_id, id),
    add foreign key (company_id, category_id) references app.categories (company_id, id);
  grant select, insert on bench.kudos_before to postgres;
  set session_replication_role = replica;
  insert into bench.kudos_before
  select company_id, id, sender_id, receiver_id, category_id, message, created_at from app.kudos order by created_at;
  reset session_replication_role;
  analyze bench.kudos_before`;

/** Compares sql/commands/load.sql with a COPY of the same kudos into the table without what changes need. */
export const loading: Part = {
  name: "loading",
  title: "Loading kudos, beside a bare COPY into a table without the column, index and triggers for changes",
  async measure({ database, folder, progress }) {
    const { url, superuser } = await database();
    const [{ rows = 0 } = {}] = await superuser<{ rows?: number }[]>`
      select least(kudos, 100000)::int as rows from bench.companies where company = 1`;
    progress(`${rows} kudos`);
    await superuser.unsafe(createKudosBefore).simple();
    await superuser`vacuum bench.kudos_before`;
    const { address, env } = withoutPassword(url);
    const options = [address, "--quiet", "--set=ON_ERROR_STOP=1"];
    const psql = (...args: string[]) => runCommand("psql", [...options, ...args], { env });
    const csv = "with (format csv, header)";
    const exported = async (columns: string, file: string) => {
      const query = `select ${columns} from app.kudos where company_id = bench.id(1, 'company', 0) limit ${rows}`;
      await psql("--command", `\\copy (${query}) to '${folder}/${file}' ${csv}`);
    };
    const columns = "id, sender_id, receiver_id, category_id, message, app.iso_8601(created_at) as created_at";
    await exported(columns, "kudos.csv");
    await exported(`'${company}' as company_id, ${columns}`, "copy.csv");
    // The other files have no rows, because the people and categories are there already.
    const others = await superuser`
      select file, string_agg(field, ',' order by place) as header from app.loaded_columns() where file <> 'kudos' group by file`;
    for (const { file, header } of others) await writeFile(`${folder}/${file}.csv`, `${header}\n`);

    /** Seconds until the rows are in the table. The company is new each time. */
    const timed =
      (table: string, ...load: string[]) =>
      async () => {
        await superuser.unsafe(createCompany).simple();
        const begin = performance.now();
        await psql(...load);
        const seconds = (performance.now() - begin) / 1000;
        const [found] = await superuser`
          select count(*)::int as rows from ${superuser(table)} where company_id = ${company}`;
        if (found?.rows !== rows) throw new Error(`${found?.rows} of ${rows} kudos have come in`);
        await superuser`delete from ${superuser(table)} where company_id = ${company}`;
        await superuser`delete from app.companies where id = ${company}`;
        await superuser`vacuum app.members, app.categories, ${superuser(table)}`;
        return seconds;
      };
    const settings = [`company_id=${company}`, "company=Loading", "also_elsewhere=on"].map((value) => `--set=${value}`);
    const script = ["--command", `\\cd ${folder}`, "--file", `${root}/sql/commands/load.sql`];
    const copy = ["--command", `\\copy bench.kudos_before from '${folder}/copy.csv' ${csv}`];
    const load = timed("app.kudos", ...settings, ...script);
    const { rounds, service } = await compare(3, load, timed("bench.kudos_before", ...copy));
    const [name, note] = [`loading ${rows.toLocaleString("en-US")} kudos`, `${shown(rows / service)} kudos a second`];
    return [{ name, rounds, unit: "times a bare COPY", note }];
  },
};
