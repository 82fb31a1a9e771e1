// SPDX-License-Identifier: MIT
//
// Judges three runs of llama-generate.mjs and says what was where.
//
//     node llama-report.mjs FOLDER
//
// FOLDER holds, for each of the runs reference, small and spillway: NAME.exit (exit code), NAME.json (its
// result, if it had one), NAME.simgpu (the simulated GPU's counters, if there was one) and NAME.layer (what
// Spillway said, if it was on). Prints a table and a line for each run; exit code 0 only if all three are as
// they should be.
import fs from "node:fs";
import path from "node:path";

const folder = process.argv[2];
const distinctWanted = 20;
const colour = process.stdout.isTTY && !process.env.NO_COLOR;

function read(name) {
    try {
        return fs.readFileSync(path.join(folder, name), "utf8");
    } catch {
        return null;
    }
}

function parse(text, key) {
    try {
        return JSON.parse(text)[key] ?? null;
    } catch {
        return null;
    }
}

// A line of JSON among log lines: the last one wins.
function layerStatistics(text) {
    const lines = (text ?? "").split("\n").filter((line) => line.startsWith('{"spillway"'));
    return parse(lines.at(-1) ?? "", "spillway");
}

function load(name) {
    const result = read(`${name}.json`);
    const layer = layerStatistics(read(`${name}.layer`));
    return {
        exit: Number(read(`${name}.exit`) ?? "-1"),
        tokens: parse(result, "tokens"),
        vram: parse(result, "vram"),
        text: parse(result, "text"),
        simgpu: parse(read(`${name}.simgpu`), "simgpu"),
        // A program may make a device only to look at it: the one that counts is the one with memory.
        layer: layer?.devices?.findLast((d) => d.tiers.vram.allocations + d.tiers.host.allocations > 0) ?? layer?.devices?.at(-1) ?? null,
    };
}

const runs = {reference: load("reference"), small: load("small"), spillway: load("spillway")};
const simulated = runs.reference.simgpu !== null;
const distinct = new Set(runs.reference.tokens ?? []).size;

function refusals(run) {
    if (run.simgpu)
        return run.simgpu.heaps[0].refusals;
    return Object.values(run.layer?.refusals ?? {}).reduce((sum, n) => sum + n, 0);
}

// Each verdict is a list of what is wrong: empty is right.
function judgeReference({exit, tokens, simgpu}) {
    const wrong = [];
    if (exit !== 0 || !tokens)
        wrong.push(`ended with exit code ${exit}`);
    else if (distinct < distinctWanted)
        wrong.push(`only ${distinct} distinct tokens, ${distinctWanted} wanted`);
    if (simgpu && simgpu.heaps[0].refusals !== 0)
        wrong.push("the big card refused memory");
    return wrong;
}

function judgeSmall(run) {
    const wrong = [];
    if (run.exit === 0 || run.tokens)
        wrong.push("it ran to its end: the card is not too small");
    else if (run.exit !== 1)
        wrong.push(`ended with exit code ${run.exit}, which is not llama.cpp's own refusal`);
    if (!(refusals(run) > 0))
        wrong.push("no vkAllocateMemory was refused");
    return wrong;
}

function judgeSpillway({exit, tokens, simgpu, layer}) {
    const wrong = [];
    if (exit !== 0 || !tokens)
        wrong.push(`ended with exit code ${exit}`);
    else if (JSON.stringify(tokens) !== JSON.stringify(runs.reference.tokens))
        wrong.push("its tokens differ from the reference");
    if (!layer)
        wrong.push("no statistics from Spillway: was it loaded?");
    else if (!(layer.tiers.host.peak_bytes > 0))
        wrong.push("Spillway placed nothing in host memory");
    if (simgpu && (simgpu.gpu_faults !== 0 || simgpu.bad_binds !== 0))
        wrong.push(`${simgpu.gpu_faults} GPU faults and ${simgpu.bad_binds} bad binds`);
    return wrong;
}

const mib = (bytes) => bytes == null ? "-" : `${(bytes / 1048576).toFixed(1)} MiB`;
const each = (get) => Object.values(runs).map((run) => String(get(run) ?? "-"));

function table() {
    const rows = [["", "big card", "small card", "small card + Spillway"]];
    if (simulated) {
        rows.push(["VRAM of the card", ...each((r) => mib(r.simgpu?.heaps[0].size))]);
        rows.push(["most VRAM in use", ...each((r) => mib(r.simgpu?.heaps[0].peak_bytes))]);
        rows.push(["most host memory in use", ...each((r) => mib(r.simgpu?.heaps[1]?.peak_bytes))]);
    }
    rows.push(["VRAM that llama.cpp saw", ...each((r) => mib(r.vram?.total))]);
    rows.push(["vkAllocateMemory refused", ...each((r) => r.simgpu || r.layer ? refusals(r) : "-")]);
    rows.push(["Spillway: tier vram, most", ...each((r) => mib(r.layer?.tiers.vram.peak_bytes))]);
    rows.push(["Spillway: tier host, most", ...each((r) => mib(r.layer?.tiers.host.peak_bytes))]);
    rows.push(["tokens generated", ...each((r) => r.tokens?.length)]);
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    return rows.map((row) => "   " + row.map((cell, column) =>
        column ? cell.padStart(widths[column]) : cell.padEnd(widths[column])).join("   ")).join("\n");
}

function verdict(text, wrong) {
    const word = wrong.length ? "FAIL" : "PASS";
    const shown = colour ? `\x1b[${wrong.length ? 31 : 32}m${word}\x1b[0m` : word;
    console.log(`${shown}  ${text}${wrong.length ? `: ${wrong.join("; ")}` : ""}`);
    return wrong.length === 0;
}

console.log(`\n${table()}\n`);
if (runs.spillway.text)
    console.log(`   with Spillway it said: "${runs.spillway.text.slice(0, 60)}…"\n`);
const results = [
    verdict(`big card: generates text (${distinct} distinct tokens)`, judgeReference(runs.reference)),
    verdict("small card, without Spillway: out of memory, as today", judgeSmall(runs.small)),
    verdict("small card, with Spillway: the same text as on the big card", judgeSpillway(runs.spillway)),
];
process.exit(results.every(Boolean) ? 0 : 1);
