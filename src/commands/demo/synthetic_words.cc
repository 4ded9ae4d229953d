#include "commands/demo/synthetic_words.h"

#include <sstream>
#include <string_view>

namespace neardup {
namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> WordsOf(std::string_view text) { return Split(text, ' '); }
std::vector<std::string> Lines(std::string_view text) { return Split(text, '\n'); }

constexpr std::string_view kEnglishNouns =
    "harbour bridge tunnel market school hospital orchard vineyard reservoir railway tram ferry "
    "museum theatre library stadium airport factory refinery quarry forest meadow glacier volcano "
    "river canal lighthouse cathedral castle warehouse laboratory observatory satellite telescope "
    "battery turbine engine sensor camera printer antenna reactor pipeline cable drone robot "
    "algorithm database archive ledger budget tariff subsidy pension loan mortgage dividend bond "
    "auction contract licence patent treaty verdict petition ballot referendum coalition senate "
    "parliament ministry council committee tribunal embassy consulate regiment festival concert "
    "orchestra choir painting sculpture novel poem manuscript dictionary sermon pilgrimage harvest "
    "drought flood earthquake landslide blizzard heatwave wildfire epidemic vaccine antibiotic "
    "clinic surgeon nurse pharmacist midwife teacher professor student apprentice carpenter mason "
    "electrician plumber farmer fisherman shepherd beekeeper baker butcher brewer tailor jeweller "
    "goldsmith potter weaver printer editor reporter photographer translator lawyer judge juror "
    "detective sheriff smuggler pirate hostage refugee migrant tourist pilgrim sailor pilot driver "
    "cyclist runner swimmer goalkeeper striker referee coach champion medal trophy tournament "
    "league stadium marathon regatta chessboard violin trumpet drum flute piano guitar carpet "
    "curtain mirror lantern candle kettle barrel basket ladder hammer anchor compass saddle "
    "wheat barley maize rice potato tomato pepper onion garlic olive almond walnut cherry peach "
    "salmon herring oyster lobster otter heron falcon stork owl badger wolf lynx bison elk "
    "asteroid comet eclipse meteor crater fossil mineral copper nickel lithium cobalt timber "
    "cement asphalt glass ceramic textile leather paper ink dye perfume spice tobacco cotton";

constexpr std::string_view kEnglishAdjectives =
    "ancient modern narrow wide shallow deep remote crowded silent noisy fragile sturdy cheap "
    "costly rare common rapid slow gradual sudden hidden visible secret public private northern "
    "southern eastern western coastal rural urban alpine tropical frozen humid dusty bright dark "
    "pale golden crimson emerald wooden marble concrete digital mechanical electric hydraulic "
    "nuclear solar seasonal annual monthly weekly temporary permanent provisional unanimous "
    "disputed illegal lawful voluntary mandatory experimental reliable faulty abandoned restored "
    "damaged flooded renovated popular forgotten famous obscure generous frugal ambitious cautious "
    "reckless stubborn curious";

constexpr std::string_view kEnglishVerbs =
    "rebuilt closed inspected opposed praised delayed financed designed damaged repaired expanded "
    "replaced measured surveyed protected threatened visited photographed painted described "
    "rejected approved debated postponed cancelled launched tested certified licensed taxed "
    "subsidised exported imported stored shipped unloaded harvested planted watered poisoned "
    "cleaned restored excavated buried discovered identified catalogued translated published "
    "censored copied forged stole recovered auctioned purchased rented insured evacuated rescued "
    "searched surrounded defended captured released accused acquitted convicted fined rewarded "
    "trained hired dismissed promoted elected appointed married adopted celebrated mourned";

constexpr std::string_view kGivenNames =
    "Anna Boris Clara Dmitri Elena Felix Greta Henrik Irina Jonas Karin Leon Marta Niklas Olga "
    "Pavel Rosa Stefan Tilda Ulrich Vera Walter Yvonne Zoltan Amara Bayo Chidi Dina Emeka Farah "
    "Gamal Habiba Idris Jamila Kofi Leila Musa Nadia Omar Paloma Quentin Rafael Soledad Tomas "
    "Ursula Vicente Ximena Yolanda Aiko Benkei Chiyo Daichi";

constexpr std::string_view kFamilyNames =
    "Abbott Bergman Castell Dahl Eriksen Fontaine Gruber Hallam Ivanov Jansen Keller Lindqvist "
    "Moreau Novak Okafor Petrov Quist Rossi Sandoval Tanaka Ueda Vargas Weber Yilmaz Zeller "
    "Adeyemi Banerjee Chandra Diallo Estrada Farouk Gupta Haddad Iqbal Juarez Kovacs Laurent Mbeki "
    "Nakamura Ortega Pereira Qureshi Ramires Schmitt Thorne Usman Vogel Whitlock Xenakis Zapata";

constexpr std::string_view kEnglishPlaces =
    "Ashford Brackenmoor Calderport Dunmere Eastholm Fennwick Garrowby Hollinsea Inverlay "
    "Jarrowdale Kestrelhythe Larchmont Merrowgate Nettlecombe Oakhaven Pendlestow Quarrington "
    "Rivermead Saltmarsh Thornbury Umberleigh Vantage Wexcombe Yarrowfield Zennorton Alderwick "
    "Birchover Coldharbour Driftwood Elmsworth Foxglove Greywater Hawksmoor Ironbridge Juniper "
    "Kingsferry Longreach Mistvale Northgate Orchardton";

constexpr std::string_view kEnglishTitles =
    "A N V in L\nL N V after D years\nP V A N\nO V N and N\nD killed as N V L\nN V: what P knows\n"
    "why L V its A N\nA N, A N: the case of P";

constexpr std::string_view kEnglishPatterns =
    "P V the A N before D workers arrived from L\n"
    "officials at O confirmed that D N were V\n"
    "a A N near L was V by P\n"
    "according to P , no N has been V since D\n"
    "residents of L fear their N may soon be V\n"
    "O plans to spend D million on a A N\n"
    "nobody at O had V such a A N before\n"
    "when the N failed , P V every N within D kilometres\n"
    "critics call this N A ; supporters call it A\n"
    "the road between L and L stayed closed because of a A N\n"
    "it took P D days to find the N\n"
    "experts V samples of N and found traces of N\n"
    "\"we V it ourselves ,\" said P , who runs a A N\n"
    "prices for N rose D percent while those for N fell\n"
    "last winter O V D N without asking L\n"
    "only one N survived , though A\n"
    "each N costs about D euros , more than any A N\n"
    "police in L searched for a A N until midnight\n"
    "two N collided with a N , and P was V\n"
    "under new rules , every A N must be V twice\n"
    "P inherited D N , sold half , then V the rest\n"
    "will the N ever be V again\n"
    "meanwhile O V its N despite protests led by P\n"
    "some D visitors admired a N that P had V\n"
    "from L to L , A N became a symbol\n"
    "documents seen by O describe how N was V\n"
    "neither P nor O wanted this A N\n"
    "around D tonnes of N lie beneath the N\n"
    "insurers V claims worth D thousand over one A N\n"
    "instead of N , children now study N and N\n"
    "auctioneers expect bids above D thousand\nsnow delayed everyone travelling towards L\n"
    "her grandmother , also called P , once V D N\nscientists warn against eating A N\n"
    "anonymous donors gave O D million\nbells rang across L all evening\n"
    "tickets sell out within D minutes\nhistorians date that N to year D\n"
    "volunteers V N beside A N\nyesterday P resigned , citing A N\n"
    "no injuries were reported\nunemployment among N makers reached D percent\n"
    "rumours about O proved A\nhow many N remain is anyone's guess";

constexpr std::string_view kProductNouns =
    "jacket backpack kettle lamp blender tent bicycle helmet keyboard monitor headphones speaker "
    "drill saw wrench sofa mattress pillow blanket wardrobe bookshelf desk chair stroller puzzle "
    "racket skateboard kayak binoculars tripod charger router thermostat vacuum toaster skillet "
    "saucepan knife teapot thermos notebook pencil umbrella wallet belt scarf gloves boots sandals "
    "raincoat zipper pocket strap buckle handle lid hinge motor blade filter hose nozzle valve "
    "battery cable plug socket adapter screen button dial sensor lens frame shell lining padding "
    "cushion mesh wheel brake pedal chain spring magnet hook clip tray drawer shelf cork rubber "
    "titanium aluminium steel bamboo oak walnut linen wool silk nylon canvas silicone porcelain "
    "telescope microscope aquarium terrarium hammock ladder wheelbarrow sprinkler lawnmower trowel "
    "compass whistle flashlight cooler grill barbecue corkscrew decanter goblet saucer napkin "
    "tablecloth doormat chandelier mirror easel palette metronome ukulele harmonica tambourine "
    "drumstick microphone turntable projector scanner printer joystick snorkel wetsuit surfboard "
    "paddle anchor rudder sled snowshoe ski goggles visor bonnet poncho cardigan waistcoat brooch";

constexpr std::string_view kProductAdjectives =
    "waterproof foldable lightweight heavy compact adjustable detachable rechargeable wireless "
    "washable breathable insulated reinforced padded scratchproof dishwasher-safe recycled organic "
    "matte glossy turquoise charcoal ivory maroon olive navy beige silver copper handmade "
    "ergonomic silent cordless portable stackable rustproof fireproof antibacterial odourless "
    "elastic seamless curved slim robust";

constexpr std::string_view kProductVerbs =
    "holds protects supports warms cools covers carries cleans lifts charges connects seals "
    "absorbs reflects stores grips lights fits folds rotates locks cuts mixes filters heats dries "
    "measures records plays balances";

constexpr std::string_view kProductPatterns =
    "its A N V a N up to D kilograms\nmade of A N and tested for D hours\n"
    "the A N V your N even at minus D degrees\nincludes D spare N plus one A N\n"
    "O designed this N for use with any N\nwith D watts it V every N\n"
    "a A N keeps the N dry\nwarranty covers N and N for D months\nmeasures D by D by D "
    "centimetres\n"
    "simply remove its N , then rinse the N\nfits N between D and D millimetres\n"
    "unlike ordinary N , ours V without a N\nassembled in L from A N\n"
    "choose between A , A or A finish\nweighs only D grams , N included\n"
    "do not expose N to A N\nD customers praised how it V N\nideal for travel , because the N V";

constexpr std::string_view kChineseNouns =
    "港口 桥梁 隧道 市场 学校 医院 果园 水库 铁路 渡轮 博物馆 剧院 图书馆 体育场 机场 工厂 矿山 "
    "森林 草原 冰川 火山 运河 灯塔 寺庙 城堡 仓库 实验室 卫星 望远镜 电池 涡轮 引擎 传感器 相机 "
    "天线 管道 电缆 机器人 数据库 档案 账本 预算 关税 补贴 养老金 贷款 债券 拍卖 合同 执照 专利 "
    "条约 判决 请愿 选票 议会 委员会 法庭 使馆 音乐节 交响乐 合唱团 油画 雕塑 小说 诗歌 手稿 词典 "
    "收成 干旱 洪水 地震 滑坡 暴雪 野火 疫苗 抗生素 诊所 护士 药剂师 教师 学徒 木匠 电工 农民 渔夫 "
    "牧羊人 面包师 裁缝 编辑 记者 律师 侦探 海盗 游客 飞行员 骑手 守门员 裁判 冠军 奖杯 联赛 "
    "马拉松 小提琴 钢琴 地毯 镜子 灯笼 蜡烛 水壶 篮子 梯子 罗盘 小麦 玉米 稻米 土豆 番茄 洋葱 橄榄 "
    "杏仁 樱桃 桃子 鲑鱼 牡蛎 龙虾 猎鹰 白鹤 猫头鹰 野牛 彗星 陨石 化石 铜矿 木材 水泥 玻璃 陶瓷 "
    "皮革 墨水 香料 棉花 茶叶 丝绸 瀑布 峡谷";

constexpr std::string_view kChineseAdjectives =
    "古老 崭新 狭窄 宽阔 偏远 拥挤 安静 嘈杂 脆弱 坚固 便宜 昂贵 罕见 迅速 缓慢 突然 隐蔽 公开 "
    "沿海 寒冷 潮湿 干燥 明亮 昏暗 金色 木制 电动 临时 永久 非法 自愿 可靠 破损 废弃 著名 谨慎 "
    "顽固 好奇";

constexpr std::string_view kChineseVerbs =
    "重建 关闭 检查 反对 赞扬 推迟 资助 设计 修复 扩建 更换 测量 保护 威胁 参观 拍摄 描绘 否决 "
    "批准 取消 发射 测试 认证 征税 出口 储存 卸载 收割 种植 污染 清洗 发掘 掩埋 发现 翻译 出版 "
    "伪造 追回 购买 租用 疏散 营救 搜索 包围 释放 起诉 罚款 奖励 培训 聘用";

constexpr std::string_view kChinesePatterns =
    "PV了A的N，随后从L赶来D名工人\n据O证实，共有D处N被V\nL附近一座A的N昨日由PV\n"
    "居民担心N很快就会被V\nO计划投入D万元用于N\n此前从未有人V过如此A的N\n"
    "N失灵时，P正在VN\n批评者认为它A，支持者却说它A\n从L到L，交通因N中断D小时\n"
    "P花费D天才找到那件N\n专家VN样本，并检出N成分\n“我们自己V的”，经营N的P说\n"
    "N价格上涨百分之D，N则下跌\n去年冬季O擅自V了D个N\n每件N约售D元，比A的N更贵\n"
    "警方在LVA的N直至深夜\n两辆卡车撞上N，P受伤\n按照新规，所有N必须VD次\n"
    "P继承D亩土地，并VN\n与此同时，O仍在VN\n约D吨N埋藏于N之下\n孩子们如今学习N和N\n"
    "文件显示N曾被OV\n今后是否还会VN，P没有回答\n"
    "邮递员误将N送往L\n凌晨时分，A的N轰然倒塌\n凭借N，P荣获金质奖章\n谁VN，谁就须缴纳D元押金\n"
    "童年记忆里，L总飘着N香味\n股东纷纷抛售，O市值缩水D亿\n倘若天气允许，志愿者将赴LVN\n"
    "只剩D户家庭拥有N\n老人回忆道：当年换N全凭粮票\n气象台预计L降雨D毫米\n"
    "学界普遍认为，N源自L\n因操作失误，N温度骤升D度\n排队购票者超过D名，多半冲着N而至\n"
    "双方签署备忘录，约定共同VN\n热线接获D起投诉，均涉及A的N\n妇女们围坐缝制N\n"
    "剧组辗转L、L两地取景\n夜幕降临，P点燃N\n审计署质疑O虚报N\n球迷高唱队歌，P含泪谢幕\n"
    "教练否认更衣室存在N\n快递柜内藏着D枚N\n候鸟掠过L，栖息于N旁\n导游手举N招呼团友";

}  // namespace

const SyntheticLanguage& EnglishNews() {
  static const SyntheticLanguage language = {
      .gap = " ",
      .stop = ".",
      .nouns = WordsOf(kEnglishNouns),
      .adjectives = WordsOf(kEnglishAdjectives),
      .verbs = WordsOf(kEnglishVerbs),
      .given_names = WordsOf(kGivenNames),
      .family_names = WordsOf(kFamilyNames),
      .places = WordsOf(kEnglishPlaces),
      .organisations = WordsOf("Council Institute Holdings University Trust Authority Cooperative"),
      .sources = WordsOf("Courier Gazette Herald Observer Tribune Bulletin"),
      .titles = Lines(kEnglishTitles),
      .patterns = Lines(kEnglishPatterns)};
  return language;
}

const SyntheticLanguage& ChineseNews() {
  static const SyntheticLanguage language = {
      .gap = "",
      .stop = "。",
      .nouns = WordsOf(kChineseNouns),
      .adjectives = WordsOf(kChineseAdjectives),
      .verbs = WordsOf(kChineseVerbs),
      .given_names =
          WordsOf("伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 涛 明 超 霞 平 刚 桂英 建国 志远 "
                  "思源 雨桐 浩然 子涵 梦琪 文博"),
      .family_names =
          WordsOf("王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 罗 梁 宋 郑 谢 韩"),
      .family_name_first = true,
      .places =
          WordsOf("云溪县 石桥镇 临江市 青岭区 白沙湾 南屏村 松河乡 金塘港 雁门口 柳林镇 东湖区 "
                  "梅岭市 古渡县 凤台镇 紫荆区 龙泉乡 望海市 鹿角村"),
      .organisations = WordsOf("研究院 集团 大学 管理局 合作社 基金会"),
      .sources = WordsOf("晨报 晚报 日报 周刊 商报"),
      .titles = Lines("LA的NV\nPVN\nO拟V和VN\nN之争：P怎么说\nD年后LVN"),
      .patterns = Lines(kChinesePatterns)};
  return language;
}

const SyntheticLanguage& EnglishProducts() {
  static const SyntheticLanguage language = {
      .gap = " ",
      .stop = ".",
      .nouns = WordsOf(kProductNouns),
      .adjectives = WordsOf(kProductAdjectives),
      .verbs = WordsOf(kProductVerbs),
      .given_names = WordsOf(kGivenNames),
      .family_names = WordsOf(kFamilyNames),
      .places = WordsOf(kEnglishPlaces),
      .organisations = WordsOf("Works Supply Outfitters Design"),
      .sources =
          WordsOf("Norvik Pellado Quantra Sunhollow Tarn Ultima Vesper Wildroot Zephyra Brevo"),
      .titles = Lines("A N with N D\nA A N D\nN D , A\nA N for N and N"),
      .patterns = Lines(kProductPatterns)};
  return language;
}

}  // namespace neardup
