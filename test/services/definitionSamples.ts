/** A small file of each language that has what its files have, and what is defined in it: lines, kind, name. */
export const samples: readonly { file: string; text: string; defined: readonly string[] }[] = [
  {
    file: 'queue.ts',
    text: `import { once } from 'node:events';

export interface Job<T> {
  run(): Promise<T>;
}
export type Outcome = 'done' | 'failed';
export const LIMIT = 4;
const pause = async (ms: number): Promise<void> => {
  await once(timer(ms), 'end');
};

@sealed
export abstract class Queue<T> {
  #jobs: Job<T>[] = [];
  onEmpty = () => {
    this.#jobs = [];
  };
  constructor(readonly size: number) {}
  get length(): number {
    return this.#jobs.length;
  }
  abstract drain(): void;
}

namespace Words {
  export enum Tone {
    calm,
  }
}
declare function timer(ms: number): EventTarget;
describe('a queue', () => {
  it('ends', async () => {});
});
`,
    defined: [
      '3-5 interface Job',
      '6-6 type Outcome',
      '7-7 constant LIMIT',
      '8-10 function pause',
      '12-23 class Queue',
      '15-17 method onEmpty',
      '18-18 method constructor',
      '19-21 method length',
      '22-22 method drain',
      '25-29 module Words',
      '26-28 enum Tone',
      '30-30 function timer',
      "31-33 test 'a queue'",
      "32-32 test 'ends'",
    ],
  },
  {
    file: 'Card.tsx',
    text: `export function Card({ title }: Props) {
  return <section>{title}</section>;
}
export const List = memo(() => <ul />);
export default class Page extends Component {
  render() {
    return <Card title="<b>" />;
  }
}
`,
    defined: ['1-3 function Card', '4-4 constant List', '5-9 class Page', '6-8 method render'],
  },
  {
    file: 'server.js',
    text: `'use strict';
class Server {
  static #open = new Set();
  listen = () => this;
  *routes() {}
}
function* ids() {}
const start = function () {};
const port = 80;
module.exports.close = () => {};
export default { handler() {} };
`,
    defined: [
      '2-6 class Server',
      '4-4 method listen',
      '5-5 method routes',
      '7-7 function ids',
      '8-8 function start',
      '10-10 function module.exports.close',
      '11-11 method handler',
    ],
  },
  {
    file: 'ledger.py',
    text: `import os

RATE = 0.2
type Cents = int


@dataclass
class Entry(Base):
    amount: int = 0

    @property
    def gross(self) -> float:
        return self.amount * (1 + RATE)

    async def save(self):
        def inner():
            pass


def total(entries):
    local = 1
    return sum(entries)
`,
    defined: [
      '3-3 constant RATE',
      '4-4 type Cents',
      '7-17 class Entry',
      '11-13 function gross',
      '15-17 function save',
      '16-17 function inner',
      '20-22 function total',
    ],
  },
  {
    file: 'Shop.java',
    text: `package shop;

@Service
public class Shop<T> implements Open {
    private final int size;
    public Shop(int size) { this.size = size; }
    @Override
    public void open() {}
    enum State { OPEN, CLOSED }
    interface Visitor { void visit(); }
    record Point(int x) { Point { } }
}
@interface Service {}
`,
    defined: [
      '3-12 class Shop',
      '6-6 method Shop',
      '7-8 method open',
      '9-9 enum State',
      '10-10 interface Visitor',
      '10-10 method visit',
      '11-11 class Point',
      '11-11 method Point',
      '13-13 interface Service',
    ],
  },
  {
    file: 'store.go',
    text: `package store

const Version = 1

var (
	ErrNone = errors.New("none")
)

type Store struct {
	rows map[string]int
}
type (
	Key    = string
	Reader interface{ Read() }
)

func New[T any](rows T) *Store { return nil }

func (s *Store) Get(key Key) int {
	return s.rows[key]
}
`,
    defined: [
      '3-3 constant Version',
      '6-6 constant ErrNone',
      '9-11 type Store',
      '13-13 type Key',
      '14-14 type Reader',
      '17-17 function New',
      '19-21 method Get',
    ],
  },
  {
    file: 'lib.rs',
    text: `mod elsewhere;
pub mod inner {
    pub fn deep() {}
}
#[derive(Debug)]
pub struct Span { start: usize }
enum Token { Word }
union Bits { a: u32 }
pub trait Show { fn show(&self) -> String; }
impl<T> Show for Span<T> {
    fn show(&self) -> String { String::new() }
}
macro_rules! twice { () => {} }
type Name = String;
const LIMIT: u8 = 1;
static HOME: &str = "";
`,
    defined: [
      '2-4 module inner',
      '3-3 function deep',
      '6-6 struct Span',
      '7-7 enum Token',
      '8-8 union Bits',
      '9-9 interface Show',
      '9-9 function show',
      '10-12 class Span<T>',
      '11-11 function show',
      '13-13 macro twice',
      '14-14 type Name',
      '15-15 constant LIMIT',
      '16-16 constant HOME',
    ],
  },
  {
    file: 'list.c',
    text: `#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
struct node { int value; struct node *next; };
typedef struct { int x; } point;
typedef int (*compare)(int, int);
enum color { RED };
union any { int i; };
#ifdef DEBUG
void trace(const char *text);
#endif
static int length(struct node *first) {
  int value(void);
  return first ? 1 : 0;
}
struct node **
find(int value)
{
  return NULL;
}
`,
    defined: [
      '2-2 macro MAX',
      '3-3 struct node',
      '4-4 type point',
      '5-5 type compare',
      '6-6 enum color',
      '7-7 union any',
      '9-9 function trace',
      '11-14 function length',
      '15-19 function find',
    ],
  },
  {
    file: 'shape.hpp',
    text: `#pragma once
namespace geo::flat {
template <typename T>
class Shape : public Base {
public:
  Shape();
  virtual ~Shape();
  virtual double area() const = 0;
  bool operator==(const Shape &other) const;
  static Shape *make();
  void inlined() {}
};
using Id = int;
enum class Side { left };
template <class T> concept Sized = true;
int &counter();
}
void geo::flat::Shape::draw() {}
`,
    defined: [
      '2-17 module geo::flat',
      '3-12 class Shape',
      '6-6 method Shape',
      '7-7 method ~Shape',
      '8-8 method area',
      '9-9 method operator==',
      '10-10 method make',
      '11-11 function inlined',
      '13-13 type Id',
      '14-14 enum Side',
      '15-15 type Sized',
      '16-16 function counter',
      '18-18 function geo::flat::Shape::draw',
    ],
  },
  {
    file: 'Account.cs',
    text: `namespace Bank.Core;

[Serializable]
public class Account<T> : Entity
{
    public Account() { }
    public decimal Balance { get; private set; }
    public event EventHandler Changed;
    public int this[int index] => 1;
    public async Task SaveAsync() { void Local() { } }
    public static Account operator +(Account a, Account b) => a;
}
record Entry(int Amount);
struct Money { }
interface IBook { void Close(); }
enum Kind { In }
delegate void Handler();
namespace Inner { class Helper { } }
`,
    defined: [
      '1-1 module Bank.Core',
      '3-12 class Account',
      '6-6 method Account',
      '7-7 property Balance',
      '8-8 property Changed',
      '9-9 property [int index]',
      '10-10 method SaveAsync',
      '10-10 function Local',
      '11-11 method +',
      '13-13 class Entry',
      '14-14 struct Money',
      '15-15 interface IBook',
      '15-15 method Close',
      '16-16 enum Kind',
      '17-17 type Handler',
      '18-18 module Inner',
      '18-18 class Helper',
    ],
  },
  {
    file: 'user.rb',
    text: `module Accounts
  class User < Base
    ROLES = %w[admin].freeze
    def name
      @name
    end
    def self.find(id) = id
    class << self
      def all; end
    end
  end
end
class Accounts::Guest; end
`,
    defined: [
      '1-12 module Accounts',
      '2-11 class User',
      '3-3 constant ROLES',
      '4-6 method name',
      '7-7 method find',
      '8-10 class self',
      '9-9 method all',
      '13-13 class Accounts::Guest',
    ],
  },
  {
    file: 'Mailer.php',
    text: `<?php
namespace App\\Mail;

abstract class Mailer
{
    const RETRIES = 3;
    public function send(): void {}
}
interface Transport { function open(); }
trait Logs { private function log() {} }
enum Status: string { case Sent = 'sent'; }
function helper() {}
`,
    defined: [
      '2-2 module App\\Mail',
      '4-8 class Mailer',
      '6-6 constant RETRIES',
      '7-7 method send',
      '9-9 interface Transport',
      '9-9 method open',
      '10-10 class Logs',
      '10-10 method log',
      '11-11 enum Status',
      '12-12 function helper',
    ],
  },
  {
    file: 'Screen.kt',
    text: `package app

@Composable
class Screen(val id: Int) : Base() {
    val title: String get() = ""
    constructor() : this(1)
    companion object {
        fun make() = Screen(1)
    }
    fun draw(): Int {
        return id
    }
}
interface Listener {
    fun heard()
}
data class Point(val x: Int)
object Registry
fun <T> List<T>.second(): T = this[1]
typealias Names = List<String>
val VERSION = 1
`,
    defined: [
      '3-13 class Screen',
      '5-5 property title',
      '6-6 method constructor',
      '7-9 class companion object',
      '8-8 function make',
      '10-12 function draw',
      '14-16 class Listener',
      '15-15 function heard',
      '17-17 class Point',
      '18-18 class Registry',
      '19-19 function second',
      '20-20 type Names',
      '21-21 constant VERSION',
    ],
  },
  {
    file: 'Model.swift',
    text: `import Foundation

@MainActor
final class Model: ObservableObject {
    init(name: String) {}
    deinit {}
    func load() async throws -> Int { 1 }
}
struct Row {}
enum Phase { case idle }
extension Model { func reset() {} }
protocol Source { func next() }
typealias Rows = [Row]
func top<T>(_ value: T) {}
`,
    defined: [
      '3-8 class Model',
      '5-5 method init',
      '6-6 method deinit',
      '7-7 function load',
      '9-9 class Row',
      '10-10 class Phase',
      '11-11 class Model',
      '11-11 function reset',
      '12-12 interface Source',
      '12-12 method next',
      '13-13 type Rows',
      '14-14 function top',
    ],
  },
  {
    file: 'deploy.sh',
    text: `#!/bin/bash
set -e
log() {
  echo "$1"
}
function main {
  log "$(cat <<END
fake() { }
END
)"
}
main
`,
    defined: ['3-5 function log', '6-11 function main'],
  },
  {
    file: 'site.css',
    text: `.card > a,
#main {
  color: red;
}
@media (min-width: 10em) {
  .wide { margin: 0 }
}
@keyframes spin { from { top: 0 } }
@font-face { font-family: x }
`,
    defined: [
      '1-4 rule .card > a,',
      '5-7 rule @media (min-width: 10em)',
      '6-6 rule .wide',
      '8-8 rule spin',
      '9-9 rule @font-face',
    ],
  },
  {
    file: 'guide.md',
    text: `# Guide

Words.

## Use \`it\`

\`\`\`sh
# not a heading
\`\`\`

Install
-------

Words.

Second
======
`,
    defined: ['1-15 heading Guide', '5-10 heading Use `it`', '11-15 heading Install', '16-17 heading Second'],
  },
];
